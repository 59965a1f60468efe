package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"mayi/pkg/workspace"
)

// maxFile is the largest settings file that is read.
const maxFile = 8 << 20

// readFile reads a file through the links that lead to it. A missing file is
// nil without an error.
func readFile(name string) (text []byte, real string, err error) {
	if name == "" {
		return nil, "", nil
	}
	if real, err = workspace.Canonical(name); err != nil {
		return nil, "", fmt.Errorf("%s cannot be read: %w", name, err)
	}
	text, err = workspace.ReadFile(real, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, real, nil
	}
	if err != nil {
		return nil, real, fmt.Errorf("%s cannot be read: %w", name, err)
	}
	if text == nil {
		text = []byte{}
	}
	return text, real, nil
}

// writeFile puts a text in place of a file, as a whole, and makes the folders
// on the way. It returns those that it made, outermost first.
func writeFile(real string, text []byte) (made []string, err error) {
	var missing []string
	for dir := filepath.Dir(real); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); err == nil || dir == filepath.Dir(dir) {
			break
		}
		missing = append([]string{dir}, missing...)
	}
	if err := workspace.MkdirAll(filepath.Dir(real), 0o755); err != nil {
		return nil, err
	}
	return missing, workspace.WriteFile(real, text, 0o600)
}

// removeFile takes away a file that mayi made, and the folders that it made for
// it where nothing else is in them.
func removeFile(real string, made []string) error {
	if err := workspace.Remove(real); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for i := len(made) - 1; i >= 0; i-- {
		if workspace.Remove(made[i]) != nil {
			break // somebody has put something there
		}
	}
	return nil
}
