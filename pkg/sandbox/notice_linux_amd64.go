package sandbox

import "golang.org/x/sys/unix"

// oldForms are the calls without a folder's descriptor, which newer
// architectures do not have.
func oldForms() map[uint32]form {
	return map[uint32]form{
		unix.SYS_OPEN:      {act: actOpen, path: 1, flags: 2, a: 3},
		unix.SYS_CREAT:     {act: actOpen, path: 1, a: 2, fixed: unix.O_CREAT | unix.O_WRONLY | unix.O_TRUNC},
		unix.SYS_RENAME:    {act: actRename, path: 1, path2: 2},
		unix.SYS_RENAMEAT:  {act: actRename, dir: 1, path: 2, dir2: 3, path2: 4},
		unix.SYS_LINK:      {act: actLink, path: 1, path2: 2},
		unix.SYS_SYMLINK:   {act: actSymlink, path2: 1, path: 2},
		unix.SYS_MKDIR:     {act: actMkdir, path: 1, a: 2},
		unix.SYS_MKNOD:     {act: actMknod, path: 1, a: 2, b: 3},
		unix.SYS_UNLINK:    {act: actUnlink, path: 1},
		unix.SYS_RMDIR:     {act: actUnlink, path: 1, fixed: unix.AT_REMOVEDIR},
		unix.SYS_CHMOD:     {act: actChmod, path: 1, a: 2},
		unix.SYS_CHOWN:     {act: actChown, path: 1, a: 2, b: 3},
		unix.SYS_LCHOWN:    {act: actChown, path: 1, a: 2, b: 3, fixed: unix.AT_SYMLINK_NOFOLLOW},
		unix.SYS_UTIME:     {act: actTimes, path: 1, a: 2, times: timesOld},
		unix.SYS_UTIMES:    {act: actTimes, path: 1, a: 2, times: timesVal},
		unix.SYS_FORK:      {act: actFork},
		unix.SYS_VFORK:     {act: actFork},
		unix.SYS_FUTIMESAT: {act: actTimes, dir: 1, path: 2, a: 3, times: timesVal},
	}
}
