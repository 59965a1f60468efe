//go:build unix

package tools

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

const (
	sigNone = syscall.Signal(0)
	sigTerm = syscall.SIGTERM
	sigKill = syscall.SIGKILL
	sigInt  = syscall.SIGINT
	sigHup  = syscall.SIGHUP
	sigCont = syscall.SIGCONT
)

// leader makes the child the leader of a session of its own.
func leader() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// startTerminal starts the child on a new terminal and returns our end of it.
func startTerminal(cmd *exec.Cmd) (*os.File, error) {
	f, err := pty.StartWithAttrs(cmd, &pty.Winsize{Rows: terminalRows, Cols: terminalCols}, &syscall.SysProcAttr{Setsid: true, Setctty: true})
	if err != nil {
		return nil, err
	}
	return pollable(f), nil
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

// another opens a second descriptor of a terminal's master, nil where there is
// none.
func another(f *os.File) *os.File {
	if f == nil {
		return nil
	}
	c, err := f.SyscallConn()
	if err != nil {
		return nil
	}
	fd := -1
	if err := c.Control(func(old uintptr) { fd, err = unix.FcntlInt(old, unix.F_DUPFD_CLOEXEC, 0) }); err != nil || fd < 0 {
		return nil
	}
	_ = unix.SetNonblock(fd, true)
	return os.NewFile(uintptr(fd), f.Name())
}

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
