//go:build !unix

package runner

import (
	"context"
	"errors"
	"fmt"
	"runtime"
)

// Shell refuses: a command line is read as bash reads it, and what it starts is
// ended through its process group. Where the system has no such groups nothing
// is run.
func Shell() (string, error) {
	return "", fmt.Errorf("no command can be run on %s (%w): they are run by bash, in a process group of their own; run mayi in WSL 2, on Linux or on macOS", runtime.GOOS, errors.ErrUnsupported)
}

// Run refuses for the reason that [Shell] gives.
func Run(context.Context, Command) (int, error) {
	_, err := Shell()
	return 127, err
}
