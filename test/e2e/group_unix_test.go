//go:build unix

package e2e

import (
	"os/exec"
	"syscall"
)

// together gives the program a process group of its own, which endAll ends.
func together(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func endAll(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// remains reports whether something in the program's group is still running.
func remains(cmd *exec.Cmd) bool { return syscall.Kill(-cmd.Process.Pid, 0) == nil }
