//go:build unix

package filelock

import (
	"io/fs"
	"os"
	"syscall"
)

// Open opens a file, one that it makes for the owner alone, without entering it
// into the runtime's poller: regular files have no use for it, and processes
// that live for milliseconds pay for it.
func Open(name string, flags int) (*os.File, error) {
	for {
		fd, err := syscall.Open(name, flags|syscall.O_CLOEXEC, 0o600)
		if err == nil {
			return os.NewFile(uintptr(fd), name), nil
		}
		if err != syscall.EINTR {
			return nil, &fs.PathError{Op: "open", Path: name, Err: err}
		}
	}
}

// Try takes the file's lock, which lasts until the file is closed, or reports
// that another has it.
func Try(f *os.File) (bool, error) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch err {
		case nil:
			return true, nil
		case syscall.EWOULDBLOCK:
			return false, nil
		case syscall.EINTR:
		default:
			return false, os.NewSyscallError("flock", err)
		}
	}
}
