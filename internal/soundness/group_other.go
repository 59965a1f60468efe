//go:build !unix

package soundness

import (
	"errors"
	"os/exec"
)

// together keeps the command from being started: what it starts in turn could
// not be ended here.
func together(cmd *exec.Cmd) { cmd.Err = errors.ErrUnsupported }
