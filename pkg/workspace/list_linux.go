package workspace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// entry is one name in a directory.
type entry struct {
	dir, name string
	kind      fs.FileMode
}

func (e entry) Name() string               { return e.name }
func (e entry) IsDir() bool                { return e.kind.IsDir() }
func (e entry) Type() fs.FileMode          { return e.kind }
func (e entry) Info() (fs.FileInfo, error) { return os.Lstat(join(e.dir, e.name)) }

// listNoLinks returns up to limit entries of a directory, in no order, and
// whether there are more.
func listNoLinks(dir string, limit int) (entries []fs.DirEntry, more bool, err error) {
	fd, err := openPath(dir, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, false, &fs.PathError{Op: "open", Path: dir, Err: err}
	}
	defer unix.Close(fd)
	buf := make([]byte, 4096)
	for {
		n, err := unix.ReadDirent(fd, buf)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.ENOENT): // removed meanwhile
			return entries, false, nil
		case err != nil:
			return nil, false, &fs.PathError{Op: "readdir", Path: dir, Err: err}
		case n == 0:
			return entries, false, nil
		}
		for rest := buf[:n]; len(rest) > direntName; {
			var e entry
			if e, rest = dirent(rest); e.name == "" || e.name == "." || e.name == ".." {
				continue
			}
			e.dir = dir
			if e.kind == unknownKind {
				if e.kind, err = kindOf(join(dir, e.name)); errors.Is(err, unix.ENOENT) {
					continue
				} else if err != nil {
					return nil, false, &fs.PathError{Op: "lstat", Path: join(dir, e.name), Err: err}
				}
			}
			if len(entries) == limit {
				return entries, true, nil
			}
			entries = append(entries, e)
		}
	}
}

const (
	// direntName is where the name begins in what the system writes for an
	// entry: 8 bytes of number, 8 of place, 2 of length, 1 of type.
	direntName = 19
	// unknownKind stands for a type that the file system does not tell.
	unknownKind = ^fs.FileMode(0)
)

// dirent takes the first entry off what the system wrote.
func dirent(buf []byte) (e entry, rest []byte) {
	size := int(binary.NativeEndian.Uint16(buf[16:]))
	if size < direntName || size > len(buf) {
		return e, nil
	}
	name, _, _ := bytes.Cut(buf[direntName:size], []byte{0})
	e.name, e.kind = string(name), unknownKind
	if t := buf[18]; t != unix.DT_UNKNOWN {
		e.kind = typeBits(uint32(t) << 12)
	}
	return e, buf[size:]
}
