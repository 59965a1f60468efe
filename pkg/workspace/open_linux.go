package workspace

import (
	"errors"

	"golang.org/x/sys/unix"
)

const (
	folderFlags = unix.O_PATH | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	statFlags   = unix.O_PATH
)

// openPath opens a canonical path in one call that refuses every link on the
// way, or component by component where the kernel (before 5.6) or a filter
// around this process does not let it.
func openPath(real string, flag int, mode uint32) (int, error) {
	how := unix.OpenHow{
		Flags:   uint64(flag),
		Mode:    uint64(mode),
		Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	if flag&unix.O_PATH != 0 {
		how.Flags &= unix.O_PATH | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	}
	for {
		fd, err := unix.Openat2(unix.AT_FDCWD, real, &how)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM):
			return walkPath(real, int(how.Flags), mode)
		}
		return fd, err
	}
}
