package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Open opens a file, one that it makes for the owner alone.
func Open(name string, flags int) (*os.File, error) { return os.OpenFile(name, flags, 0o600) }

// Try takes the file's lock, which lasts until the file is closed, or reports
// that another has it. Locks are mandatory here: one byte far behind the end
// stands for the whole.
func Try(f *os.File) (bool, error) {
	at := windows.Overlapped{OffsetHigh: 1}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}
