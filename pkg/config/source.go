package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"mayi/pkg/workspace"
)

// maxSize is how large a settings file may be, in bytes.
const maxSize = 1 << 20

// readSettings reads a settings file and returns its canonical path. A file
// that does not exist gives nil and no error; one that is there but cannot be
// read is an error, since the rules in it would be missed.
func readSettings(file string) (text []byte, real string, err error) {
	if _, err := os.Lstat(file); err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			return nil, "", nil
		}
		return nil, "", plain(err)
	}
	real, err = workspace.Canonical(file)
	if err != nil {
		return nil, "", plain(err)
	}
	text, err = workspace.ReadFile(real, maxSize)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, "", fmt.Errorf("it is a link to %s, which does not exist", real)
		}
		return nil, "", plain(err)
	}
	if text == nil {
		text = []byte{}
	}
	return text, real, nil
}

// plain drops operation and path from an error: the problem names the file.
func plain(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
