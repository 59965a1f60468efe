//go:build linux

package main

import (
	"os"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

func warm() {
	n, _ := strconv.Atoi(os.Getenv("WARM"))
	if n == 0 { return }
	p := uintptr(unsafe.Pointer(new([8 << 10]byte))) &^ 4095
	unix.Syscall(unix.SYS_MADVISE, p, uintptr(n), 23)
}
