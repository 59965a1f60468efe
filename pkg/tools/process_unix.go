//go:build unix

package tools

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	sigNone = syscall.Signal(0)
	sigTerm = syscall.SIGTERM
	sigKill = syscall.SIGKILL
	sigInt  = syscall.SIGINT
	sigHup  = syscall.SIGHUP
)

// leader makes the child the leader of a session of its own.
func leader(tty bool) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Setctty: tty}
}

func signalName(st *os.ProcessState) string {
	ws, ok := st.Sys().(syscall.WaitStatus)
	if !ok || !ws.Signaled() {
		return ""
	}
	return ws.Signal().String()
}

// isLoop reports whether a symbolic link was met where none may be followed.
func isLoop(err error) bool { return errors.Is(err, syscall.ELOOP) }

// pollable puts a file back under the runtime's poller, so that closing it
// ends a read under way and writes can have a deadline.
func pollable(f *os.File) *os.File {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return f
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		unix.Close(fd)
		return f
	}
	f.Close()
	return os.NewFile(uintptr(fd), f.Name())
}
