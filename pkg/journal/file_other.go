//go:build !unix && !windows

package journal

import (
	"errors"
	"os"
)

func openFile(name string, flags int) (*os.File, error) { return os.OpenFile(name, flags, 0o600) }

// tryLock refuses: without a lock two processes would write the same record.
func tryLock(*os.File) (bool, error) { return false, errors.ErrUnsupported }

func syncDir(string) error { return nil }
