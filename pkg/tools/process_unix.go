//go:build unix

package tools

import (
	"errors"
	"os"
	"syscall"
)

const (
	sigNone = syscall.Signal(0)
	sigTerm = syscall.SIGTERM
	sigKill = syscall.SIGKILL
	sigInt  = syscall.SIGINT
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
