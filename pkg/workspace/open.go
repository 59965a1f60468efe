package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// errNotCanonical: the functions that open take only what the resolver gave
// out, so that what is opened is what was checked.
var errNotCanonical = errors.New("not a canonical absolute path")

// canonicalForm refuses every spelling that the resolver does not give out.
func canonicalForm(op, real string) error {
	if !strings.HasPrefix(real, "/") || strings.IndexByte(real, 0) >= 0 || path.Clean(real) != real {
		return &fs.PathError{Op: op, Path: real, Err: errNotCanonical}
	}
	return nil
}

// Open opens a canonical path as os.OpenFile does, but follows no symbolic link
// in any component: where a link has come to be since the path was resolved,
// it fails. It does not wait for the other end of a FIFO. The caller closes the
// file.
func Open(real string, flag int, perm os.FileMode) (*os.File, error) {
	if err := canonicalForm("open", real); err != nil {
		return nil, err
	}
	return openNoLinks(real, flag, perm)
}

// ReadDir lists a folder by its canonical path, sorted by name.
func ReadDir(real string) ([]fs.DirEntry, error) {
	d, err := Open(real, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	entries, err := d.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// Stat describes the object at a canonical path. A link there is an error.
func Stat(real string) (fs.FileInfo, error) {
	if err := canonicalForm("stat", real); err != nil {
		return nil, err
	}
	return statNoLinks(real)
}

// ReadFile reads a regular file of at most limit bytes by its canonical path.
func ReadFile(real string, limit int64) ([]byte, error) {
	if err := canonicalForm("open", real); err != nil {
		return nil, err
	}
	return readNoLinks(real, limit)
}

// MkdirAll makes the folder and the missing ones above it.
func MkdirAll(real string, perm os.FileMode) error {
	if err := canonicalForm("mkdir", real); err != nil {
		return err
	}
	return mkdirAllNoLinks(real, perm)
}

// WriteFile puts data in place of the file at a canonical path, all or nothing:
// it writes a temporary file in the same opened folder, syncs it and renames it
// over the old one. An existing file keeps its mode; a new one gets perm. What
// is not a regular file is not replaced.
func WriteFile(real string, data []byte, perm os.FileMode) error {
	if err := canonicalForm("write", real); err != nil {
		return err
	}
	return replaceNoLinks(real, data, perm)
}

// Remove removes the file, link or empty folder of that name.
func Remove(real string) error {
	if err := canonicalForm("remove", real); err != nil {
		return err
	}
	return removeNoLinks(real)
}
