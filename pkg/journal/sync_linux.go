package journal

import (
	"os"
	"strings"
	"syscall"

	"mayi/internal/filelock"
)

// syncData makes what was written to f survive a loss of power.
func syncData(f *os.File) error {
	for {
		if err := syscall.Fdatasync(int(f.Fd())); err != syscall.EINTR {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}

// BootID names the run of the machine, "" where it cannot be told.
func BootID() string {
	f, err := filelock.Open("/proc/sys/kernel/random/boot_id", os.O_RDONLY)
	if err != nil {
		return ""
	}
	defer f.Close()
	var b [64]byte
	n, err := f.Read(b[:])
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b[:n]))
}
