//go:build !unix

package child

import "os/exec"

func own(*exec.Cmd) {}

// end ends the server; here there is no asking.
func end(cmd *exec.Cmd, now bool) {
	if now {
		_ = cmd.Process.Kill()
	}
}
