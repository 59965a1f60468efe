//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// The job's file tree is built on a fresh tmpfs, out of detached copies of
// what is granted, and then becomes the root; the old root is dropped.

// stage is where the new root is put together. It only has to exist: what is
// below it is covered, so every source is taken hold of before.
const stage = "/tmp"

// emptySource is made in the new root and mounted over what is closed.
const emptyName = "/.closed"

// hold is a detached copy of one source, or the link that stood in its place.
type hold struct {
	fd   int
	link string
	dir  bool
	ok   bool
}

// buildTree changes the calling process's mount namespace. It must be in one
// of its own. After an error the process must end.
func buildTree(steps []step) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("sandbox: make the mounts private: %w", err)
	}
	holds := make([]hold, len(steps))
	for i, st := range steps {
		if st.Do != doBind {
			continue
		}
		h, err := takeHold(st)
		if err != nil {
			return fmt.Errorf("sandbox: bind %s: %w", st.Path, err)
		}
		holds[i] = h
	}
	if err := unix.Mount("tmpfs", stage, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=755,size=4m"); err != nil {
		return fmt.Errorf("sandbox: new root: %w", err)
	}
	if err := os.Mkdir(stage+emptyName, 0); err != nil {
		return fmt.Errorf("sandbox: new root: %w", err)
	}
	for i, st := range steps {
		if err := place(st, holds[i]); err != nil {
			return fmt.Errorf("sandbox: %s %s: %w", st.Do, st.Path, err)
		}
	}
	if err := unix.Chdir(stage); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("sandbox: pivot_root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("sandbox: drop the old root: %w", err)
	}
	if err := unix.Chdir("/"); err != nil {
		return err
	}
	return unix.MountSetattr(unix.AT_FDCWD, "/", 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
}

func takeHold(st step) (hold, error) {
	from := st.From
	if from == "" {
		from = st.Path
	}
	var s unix.Stat_t
	if err := unix.Lstat(from, &s); err != nil {
		return hold{}, missing(err)
	}
	switch s.Mode & unix.S_IFMT {
	case unix.S_IFLNK:
		text, err := os.Readlink(from)
		return hold{fd: -1, link: text, ok: err == nil}, missing(err)
	case unix.S_IFDIR, unix.S_IFREG, unix.S_IFCHR:
	default:
		return hold{}, nil // a socket or a pipe of somebody outside
	}
	fd, err := unix.OpenTree(unix.AT_FDCWD, from, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE|unix.AT_SYMLINK_NOFOLLOW)
	if err != nil {
		return hold{}, missing(err)
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOSUID}
	if s.Mode&unix.S_IFMT != unix.S_IFCHR {
		attr.Attr_set |= unix.MOUNT_ATTR_NODEV
	}
	if !st.Write {
		attr.Attr_set |= unix.MOUNT_ATTR_RDONLY
	}
	if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
		unix.Close(fd)
		return hold{}, err
	}
	return hold{fd: fd, dir: s.Mode&unix.S_IFMT == unix.S_IFDIR, ok: true}, nil
}

// missing turns "not there for us" into nothing to do.
func missing(err error) error {
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENOTDIR) {
		return nil
	}
	return err
}

func place(st step, h hold) error {
	to := path.Join(stage, st.Path)
	switch st.Do {
	case doBind:
		if !h.ok {
			return nil
		}
		if h.link != "" {
			return makeLink(h.link, to)
		}
		defer unix.Close(h.fd)
		if st.Path != "/" {
			if err := mountPoint(to, h.dir); err != nil {
				return err
			}
		}
		return unix.MoveMount(h.fd, "", unix.AT_FDCWD, to, unix.MOVE_MOUNT_F_EMPTY_PATH)
	case doTmp:
		if err := mountPoint(to, true); err != nil {
			return err
		}
		mode := "1777"
		if st.Path == "/dev" {
			mode = "755"
		}
		return unix.Mount("tmpfs", to, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, fmt.Sprintf("mode=%s,size=%d", mode, st.Size))
	case doProc:
		if err := mountPoint(to, true); err != nil {
			return err
		}
		return unix.Mount("proc", to, "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
	case doPts:
		if err := mountPoint(to, true); err != nil {
			return err
		}
		return unix.Mount("devpts", to, "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620")
	case doLink:
		return makeLink(st.From, to)
	case doEmpty:
		return cover(to)
	case doKeep:
		return freeze(to)
	}
	return fmt.Errorf("unknown step")
}

func makeLink(text, to string) error {
	if err := os.MkdirAll(path.Dir(to), 0o755); err != nil {
		return err
	}
	if err := os.Symlink(text, to); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return nil
}

// mountPoint makes what a mount needs to stand on. Inside a bound folder it is
// there already, as what is bound at that path is the same thing.
func mountPoint(to string, dir bool) error {
	var s unix.Stat_t
	if unix.Lstat(to, &s) == nil && s.Mode&unix.S_IFMT != unix.S_IFLNK {
		return nil
	}
	if dir {
		return os.MkdirAll(to, 0o755)
	}
	if err := os.MkdirAll(path.Dir(to), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return f.Close()
}

// cover puts something empty and unreadable over a file or folder.
func cover(to string) error {
	var s unix.Stat_t
	if err := unix.Lstat(to, &s); err != nil {
		return missing(err)
	}
	from := stage + emptyName
	switch s.Mode & unix.S_IFMT {
	case unix.S_IFLNK:
		return nil // what it leads to is judged where it lies
	case unix.S_IFDIR:
	default:
		from += "-file"
		f, err := os.OpenFile(from, os.O_CREATE|os.O_WRONLY, 0)
		if err == nil {
			err = f.Close()
		}
		if err != nil && !errors.Is(err, os.ErrPermission) {
			return err
		}
	}
	return bindOver(from, to)
}

// freeze makes a file or folder read-only where it stands.
func freeze(to string) error {
	var s unix.Stat_t
	if err := unix.Lstat(to, &s); err != nil {
		return missing(err)
	}
	if k := s.Mode & unix.S_IFMT; k != unix.S_IFDIR && k != unix.S_IFREG {
		return nil
	}
	return bindOver(to, to)
}

func bindOver(from, to string) error {
	fd, err := unix.OpenTree(unix.AT_FDCWD, from, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE|unix.AT_SYMLINK_NOFOLLOW)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID}); err != nil {
		return err
	}
	return unix.MoveMount(fd, "", unix.AT_FDCWD, to, unix.MOVE_MOUNT_F_EMPTY_PATH)
}
