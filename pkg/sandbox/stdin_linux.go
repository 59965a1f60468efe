//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"fmt"
	"io"

	"golang.org/x/sys/unix"
)

// reopenStdin puts a descriptor in the place of standard input that leads to
// the same file through a read-only mount: with the one that was handed in, its
// owner could change the file's mode, times and attributes.
func reopenStdin(name string) error {
	if name == "" {
		return nil
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("sandbox: make the mounts private: %w", err)
	}
	tree, err := unix.OpenTree(unix.AT_FDCWD, name, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_SYMLINK_NOFOLLOW)
	if err != nil {
		return fmt.Errorf("sandbox: standard input: %w", err)
	}
	defer unix.Close(tree)
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV}
	if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH, &attr); err != nil {
		return fmt.Errorf("sandbox: standard input: %w", err)
	}
	fd, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", tree), unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	if err != nil {
		return fmt.Errorf("sandbox: standard input: %w", err)
	}
	defer unix.Close(fd)
	var was, is unix.Stat_t
	if unix.Fstat(0, &was) != nil || unix.Fstat(fd, &is) != nil || was.Dev != is.Dev || was.Ino != is.Ino {
		return errors.New("sandbox: standard input was replaced")
	}
	if at, err := unix.Seek(0, 0, io.SeekCurrent); err == nil {
		if _, err := unix.Seek(fd, at, io.SeekStart); err != nil {
			return fmt.Errorf("sandbox: standard input: %w", err)
		}
	}
	return unix.Dup3(fd, 0, 0)
}
