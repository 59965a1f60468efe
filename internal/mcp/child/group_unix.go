//go:build unix

package child

import (
	"os/exec"
	"syscall"
)

// own puts the server into a process group of its own.
func own(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// end asks the group to end, or ends it. A group that is gone is no error.
func end(cmd *exec.Cmd, now bool) {
	sig := syscall.SIGTERM
	if now {
		sig = syscall.SIGKILL
	}
	_ = syscall.Kill(-cmd.Process.Pid, sig)
}
