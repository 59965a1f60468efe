package journal

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// smallFile is more than a head or a key has, in bytes.
const smallFile = 1024

// readSmall reads a small file that was just opened: a regular file gives all
// it has at once.
func readSmall(f *os.File) ([]byte, error) {
	b := make([]byte, smallFile)
	n, err := f.Read(b)
	if err == io.EOF {
		err = nil
	}
	return b[:n], err
}

// writeDurably puts data into path so that after a crash, too, the old or the
// new content is there, whole. Callers see to it that only one writes at a time.
func writeDurably(path string, data []byte) (err error) {
	tmp := path + ".new"
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(tmp)
		}
	}()
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}
