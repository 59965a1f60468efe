//go:build !unix && !windows

package filelock

import (
	"errors"
	"os"
)

// Open opens a file, one that it makes for the owner alone.
func Open(name string, flags int) (*os.File, error) { return os.OpenFile(name, flags, 0o600) }

// Try refuses: what needs it must not go on without a lock.
func Try(*os.File) (bool, error) { return false, errors.ErrUnsupported }
