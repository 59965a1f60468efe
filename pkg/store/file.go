package store

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// prepareFile makes the database's directory and file for the owner only. An
// existing file that others may read or write is closed to them; an existing
// directory is left as it is.
func prepareFile(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("it is a %s, not a file", kindOf(info.Mode()))
	}
	if info.Mode().Perm()&0o077 != 0 && ownable {
		if err := f.Chmod(0o600); err != nil {
			return fmt.Errorf("others can read or write it: %w", err)
		}
	}
	return nil
}

func kindOf(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "directory"
	case m&fs.ModeNamedPipe != 0:
		return "pipe"
	case m&fs.ModeDevice != 0:
		return "device"
	}
	return "special file"
}
