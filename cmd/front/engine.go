//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"mayi/internal/onefile"
	"mayi/pkg/sandbox"
)

// self is the file that both programs are in, as the kernel knows it: it is
// the same file also where another was put in its place meanwhile.
const self = "/proc/self/exe"

// become makes this process the engine. It does not return.
func become(args []string) {
	why := "it is no part of a mayi that was built with make"
	if os.Args[0] != onefile.EngineName {
		sandbox.AsStarted(func() {
			why = syscall.Exec(self, append([]string{onefile.EngineName}, args...), os.Environ()).Error()
		})
	}
	fmt.Fprintln(os.Stderr, "mayi: the engine could not be started:", why)
	os.Exit(1)
}

// feed makes what was read from standard input readable again.
func feed(input []byte) error {
	fd, err := unix.MemfdCreate("input", 0)
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(fd), "input")
	if _, err := bytes.NewReader(input).WriteTo(f); err != nil {
		return err
	}
	if _, err := f.Seek(0, 0); err != nil {
		return err
	}
	return unix.Dup3(fd, 0, 0)
}
