//go:build !unix

package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Without the calls that refuse links nothing is opened here: a tool that
// cannot open what was checked must not open anything.
var errNoSafeOpen = fmt.Errorf("opening without following links: %w", errors.ErrUnsupported)

func openNoLinks(string, int, os.FileMode) (*os.File, error) { return nil, errNoSafeOpen }
func readNoLinks(string, int64) ([]byte, error)              { return nil, errNoSafeOpen }
func statNoLinks(string) (fs.FileInfo, error)                { return nil, errNoSafeOpen }
func mkdirAllNoLinks(string, os.FileMode) error              { return errNoSafeOpen }
func removeNoLinks(string) error                             { return errNoSafeOpen }
func replaceNoLinks(string, []byte, os.FileMode) error       { return errNoSafeOpen }
func ownedByOther(string) bool                               { return false }

func kindOf(path string) (fs.FileMode, error) {
	fi, err := os.Lstat(path)
	if err != nil {
		return 0, err
	}
	return fi.Mode().Type(), nil
}
