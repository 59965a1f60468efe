//go:build unix

package workspace

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// openFlags are added to every open: never inherited, never waiting, never the
// controlling terminal.
const openFlags = unix.O_CLOEXEC | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY

func openNoLinks(real string, flag int, perm os.FileMode) (*os.File, error) {
	fd, err := openPath(real, flag|openFlags, unixMode(perm, flag))
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: real, Err: err}
	}
	return os.NewFile(uintptr(fd), real), nil
}

// unixMode gives the permission bits, only where a file may be created:
// openat2 refuses them elsewhere.
func unixMode(perm os.FileMode, flag int) uint32 {
	if flag&os.O_CREATE == 0 {
		return 0
	}
	return uint32(perm.Perm())
}

// walkPath opens a path component by component, each without following a link.
// It is what openPath falls back to where the kernel cannot do it in one call.
func walkPath(real string, flag int, mode uint32) (int, error) {
	dir, err := openAt(unix.AT_FDCWD, "/", folderFlags, 0)
	if err != nil {
		return -1, err
	}
	comps := split(real)
	if len(comps) == 0 {
		unix.Close(dir)
		return openAt(unix.AT_FDCWD, "/", flag, mode)
	}
	for _, c := range comps[:len(comps)-1] {
		sub, err := openAt(dir, c, folderFlags, 0)
		unix.Close(dir)
		if err != nil {
			return -1, err
		}
		dir = sub
	}
	defer unix.Close(dir)
	return openAt(dir, comps[len(comps)-1], flag, mode)
}

func openAt(dir int, name string, flag int, mode uint32) (int, error) {
	for {
		fd, err := unix.Openat(dir, name, flag, mode)
		if !errors.Is(err, unix.EINTR) {
			return fd, err
		}
	}
}

// openParent opens the folder that a path is in.
func openParent(real string) (fd int, name string, err error) {
	dir, name := path.Split(real)
	if name == "" {
		return -1, "", unix.EISDIR
	}
	fd, err = openPath(path.Clean(dir), folderFlags, 0)
	return fd, name, err
}

func statNoLinks(real string) (fs.FileInfo, error) {
	f, err := openNoLinks(real, statFlags, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err == nil && fi.Mode()&fs.ModeSymlink != 0 {
		return nil, &fs.PathError{Op: "stat", Path: real, Err: unix.ELOOP}
	}
	return fi, err
}

func mkdirAllNoLinks(real string, perm os.FileMode) error {
	fail := func(err error) error { return &fs.PathError{Op: "mkdir", Path: real, Err: err} }
	dir, err := openAt(unix.AT_FDCWD, "/", folderFlags, 0)
	if err != nil {
		return fail(err)
	}
	for _, c := range split(real) {
		sub, err := openAt(dir, c, folderFlags, 0)
		if errors.Is(err, unix.ENOENT) {
			if err = unix.Mkdirat(dir, c, uint32(perm.Perm())); err == nil || errors.Is(err, unix.EEXIST) {
				sub, err = openAt(dir, c, folderFlags, 0)
			}
		}
		unix.Close(dir)
		if err != nil {
			return fail(err)
		}
		dir = sub
	}
	return unix.Close(dir)
}

func removeNoLinks(real string) error {
	dir, name, err := openParent(real)
	if err != nil {
		return &fs.PathError{Op: "remove", Path: real, Err: err}
	}
	defer unix.Close(dir)
	err = unix.Unlinkat(dir, name, 0)
	if errors.Is(err, unix.EISDIR) || errors.Is(err, unix.EPERM) {
		// Linux says EISDIR, others EPERM, where the name is a folder's.
		if e := unix.Unlinkat(dir, name, unix.AT_REMOVEDIR); !errors.Is(e, unix.ENOTDIR) {
			err = e
		}
	}
	if err != nil {
		return &fs.PathError{Op: "remove", Path: real, Err: err}
	}
	return nil
}

func replaceNoLinks(real string, data []byte, perm os.FileMode) error {
	fail := func(err error) error { return &fs.PathError{Op: "write", Path: real, Err: err} }
	dir, name, err := openParent(real)
	if err != nil {
		return fail(err)
	}
	defer unix.Close(dir)
	mode := uint32(perm.Perm())
	var old unix.Stat_t
	switch err := unix.Fstatat(dir, name, &old, unix.AT_SYMLINK_NOFOLLOW); {
	case err == nil && old.Mode&unix.S_IFMT != unix.S_IFREG:
		return fail(errors.New("not a regular file"))
	case err == nil:
		mode = uint32(old.Mode) & 0o7777
	case !errors.Is(err, unix.ENOENT):
		return fail(err)
	}
	temp := ".mayi-" + rand.Text()
	fd, err := openAt(dir, temp, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return fail(err)
	}
	f := os.NewFile(uintptr(fd), temp)
	if err := fill(f, data, mode); err != nil {
		unix.Unlinkat(dir, temp, 0)
		return fail(err)
	}
	if err := unix.Renameat(dir, temp, dir, name); err != nil {
		unix.Unlinkat(dir, temp, 0)
		return fail(err)
	}
	// The name is as durable as the data only when the folder is, too. Some
	// file systems cannot sync a folder; the file is in place all the same.
	if d, err := openAt(dir, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0); err == nil {
		_ = unix.Fsync(d)
		unix.Close(d)
	}
	return nil
}

// fill writes, syncs and closes the temporary file.
func fill(f *os.File, data []byte, mode uint32) error {
	_, err := f.Write(data)
	if err == nil {
		err = unix.Fchmod(int(f.Fd()), mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}
