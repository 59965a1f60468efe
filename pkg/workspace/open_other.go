//go:build unix && !linux

package workspace

import "golang.org/x/sys/unix"

const (
	folderFlags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	statFlags   = unix.O_RDONLY
)

func openPath(real string, flag int, mode uint32) (int, error) { return walkPath(real, flag, mode) }
