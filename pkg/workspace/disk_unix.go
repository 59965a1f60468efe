//go:build unix

package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// The calls below go to the system directly: [os.Lstat] and [os.File] allocate
// for every name and start the runtime's poller, which a process that decides
// one call has no use for.

// kindOf returns the type bits of the object at path, a link not followed.
func kindOf(path string) (fs.FileMode, error) {
	var st unix.Stat_t
	for {
		switch err := unix.Lstat(path, &st); {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 0, err
		default:
			return typeBits(uint32(st.Mode)), nil
		}
	}
}

// typeBits are the type bits of a mode as the system has it.
func typeBits(mode uint32) fs.FileMode {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return 0
	case unix.S_IFDIR:
		return fs.ModeDir
	case unix.S_IFLNK:
		return fs.ModeSymlink
	case unix.S_IFIFO:
		return fs.ModeNamedPipe
	case unix.S_IFSOCK:
		return fs.ModeSocket
	case unix.S_IFBLK:
		return fs.ModeDevice
	case unix.S_IFCHR:
		return fs.ModeDevice | fs.ModeCharDevice
	}
	return fs.ModeIrregular
}

// readNoLinks reads a regular file of at most limit bytes.
func readNoLinks(real string, limit int64) ([]byte, error) {
	fd, err := openPath(real, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: real, Err: err}
	}
	defer unix.Close(fd)
	fail := func(err error) ([]byte, error) { return nil, &fs.PathError{Op: "read", Path: real, Err: err} }
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return fail(err)
	}
	if kind := typeBits(uint32(st.Mode)); kind != 0 {
		return fail(fmt.Errorf("not a regular file (%s)", kind))
	}
	// The file may grow, and files in /proc have no size.
	data := make([]byte, 0, max(512, min(st.Size, limit)+1))
	for {
		if int64(len(data)) > limit || st.Size > limit {
			return fail(fmt.Errorf("larger than %d bytes", limit))
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
		n, err := unix.Read(fd, data[len(data):cap(data)])
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return fail(err)
		case n == 0:
			return data, nil
		default:
			data = data[:len(data)+n]
		}
	}
}
