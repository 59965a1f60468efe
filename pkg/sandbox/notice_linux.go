//go:build linux && (amd64 || arm64)

package sandbox

import (
	"golang.org/x/sys/unix"
)

// notifyKind says about which system calls the kernel asks the supervisor.
type notifyKind uint8

const (
	notifyNone notifyKind = iota
	// notifyNames: calls that make, change or remove names or what belongs to a
	// file, or open for writing.
	notifyNames
	// notifyAll: every open as well.
	notifyAll
	// notifySignals: signals as well.
	notifySignals
)

// action is what a system call does, for the supervisor.
type action uint8

const (
	actOpen action = iota + 1
	actTruncate
	actRename
	actLink
	actSymlink
	actMkdir
	actMknod
	actUnlink
	actChmod
	actChown
	actTimes
	actSetxattr
	actRemovexattr
	actConnect
	actExec
	actChdir
	actFork
	actSignal
	actSegment
)

// form says where a system call keeps what. A field is an argument's index
// plus one; 0 is "has none". fixed is a constant in the place of flags.
type form struct {
	act                           action
	dir, path, dir2, path2, flags int8
	a, b                          int8
	fixed                         uint64
	fd                            bool // dir is a descriptor of the object itself
	times                         timesForm
}

// timesForm is how a call gives a file's times.
type timesForm uint8

const (
	timesSpec timesForm = iota // two struct timespec, with flags
	timesVal                   // two struct timeval
	timesOld                   // struct utimbuf
)

// O_CREAT and the like; __O_TMPFILE has a bit of its own beside O_DIRECTORY.
const (
	tmpfileBit  = unix.O_TMPFILE &^ unix.O_DIRECTORY
	changeFlags = unix.O_WRONLY | unix.O_RDWR | unix.O_CREAT | unix.O_TRUNC | tmpfileBit
)

// forms are the calls that the supervisor carries out.
func forms() map[uint32]form {
	out := map[uint32]form{
		unix.SYS_OPENAT:       {act: actOpen, dir: 1, path: 2, flags: 3, a: 4},
		unix.SYS_TRUNCATE:     {act: actTruncate, path: 1, a: 2},
		unix.SYS_RENAMEAT2:    {act: actRename, dir: 1, path: 2, dir2: 3, path2: 4, flags: 5},
		unix.SYS_LINKAT:       {act: actLink, dir: 1, path: 2, dir2: 3, path2: 4, flags: 5},
		unix.SYS_SYMLINKAT:    {act: actSymlink, path2: 1, dir: 2, path: 3},
		unix.SYS_MKDIRAT:      {act: actMkdir, dir: 1, path: 2, a: 3},
		unix.SYS_MKNODAT:      {act: actMknod, dir: 1, path: 2, a: 3, b: 4},
		unix.SYS_UNLINKAT:     {act: actUnlink, dir: 1, path: 2, flags: 3},
		unix.SYS_FCHMODAT:     {act: actChmod, dir: 1, path: 2, a: 3},
		sysFchmodat2:          {act: actChmod, dir: 1, path: 2, a: 3, flags: 4},
		unix.SYS_FCHMOD:       {act: actChmod, dir: 1, a: 2, fd: true},
		unix.SYS_FCHOWNAT:     {act: actChown, dir: 1, path: 2, a: 3, b: 4, flags: 5},
		unix.SYS_FCHOWN:       {act: actChown, dir: 1, a: 2, b: 3, fd: true},
		unix.SYS_UTIMENSAT:    {act: actTimes, dir: 1, path: 2, a: 3, flags: 4},
		unix.SYS_SETXATTR:     {act: actSetxattr, path: 1, path2: 2, a: 3, b: 4, flags: 5},
		unix.SYS_LSETXATTR:    {act: actSetxattr, path: 1, path2: 2, a: 3, b: 4, fixed: unix.AT_SYMLINK_NOFOLLOW, flags: 5},
		unix.SYS_FSETXATTR:    {act: actSetxattr, dir: 1, path2: 2, a: 3, b: 4, fd: true, flags: 5},
		unix.SYS_REMOVEXATTR:  {act: actRemovexattr, path: 1, path2: 2},
		unix.SYS_LREMOVEXATTR: {act: actRemovexattr, path: 1, path2: 2, fixed: unix.AT_SYMLINK_NOFOLLOW},
		unix.SYS_FREMOVEXATTR: {act: actRemovexattr, dir: 1, path2: 2, fd: true},
		unix.SYS_CONNECT:      {act: actConnect, dir: 1, a: 2, b: 3, fd: true},
		unix.SYS_EXECVE:       {act: actExec, path: 1, a: 2},
		unix.SYS_EXECVEAT:     {act: actExec, dir: 1, path: 2, a: 3, flags: 5},
		unix.SYS_CHDIR:        {act: actChdir, path: 1},
		unix.SYS_CLONE:        {act: actFork, flags: 1},
		unix.SYS_KILL:         {act: actSignal, a: 1},
		unix.SYS_TKILL:        {act: actSignal, a: 1},
		unix.SYS_TGKILL:       {act: actSignal, a: 1, b: 2},

		unix.SYS_RT_SIGQUEUEINFO:   {act: actSignal, a: 1},
		unix.SYS_RT_TGSIGQUEUEINFO: {act: actSignal, a: 1, b: 2},
		unix.SYS_SHMGET:            {act: actSegment, dir: 1, a: 2, flags: 3},
	}
	for nr, f := range oldForms() {
		out[nr] = f
	}
	return out
}

// noticeBlocks ask about the calls of a kind. Opens are told apart by their
// flags, so that reading costs nothing where only names are judged. An execve
// whose last argument, which the call itself does not have, is the pass goes on
// unasked: the job's first program begins before there is anybody to be asked.
func noticeBlocks(k notifyKind, ownNet bool, first uint64) []block {
	if k == notifyNone {
		return nil
	}
	ask := []unix.SockFilter{tell()}
	blocks := make([]block, 0, 160)
	for nr, f := range forms() {
		body := ask
		switch {
		case f.act == actOpen && f.flags == 0:
		case f.act == actOpen && k >= notifyAll:
			body = []unix.SockFilter{argLow(int(f.flags) - 1), hasAny(unix.O_PATH), pass(), tell()}
		case f.act == actOpen:
			const some = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
			body = []unix.SockFilter{argLow(int(f.flags) - 1), {Code: some, K: unix.O_PATH | changeFlags, Jf: 2}, {Code: some, K: unix.O_PATH, Jt: 1}, tell(), pass()}
		case f.act == actExec && f.dir == 0 && first != 0:
			const jeq = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
			body = []unix.SockFilter{argLow(5), {Code: jeq, K: uint32(first), Jf: 3}, argHigh(5), {Code: jeq, K: uint32(first >> 32), Jf: 1}, pass(), tell()}
		case f.act == actExec:
		case f.act == actSignal && k != notifySignals:
			continue
		case f.act == actSignal:
		case f.act == actSegment && !ownNet:
			continue // refused, like all that is shared
		case f.act == actSegment:
		case f.act == actFork && ownNet:
			continue // the pid namespace ends with the job
		case f.act == actFork && f.flags != 0:
			body = []unix.SockFilter{argLow(0), hasAny(newNamespaces), fail(unix.EPERM), hasAny(unix.CLONE_THREAD), pass(), tell()}
		case f.act == actFork:
		case f.act == actChdir && k != notifyAll && ownNet:
			continue
		}
		blocks = append(blocks, block{nr, body})
	}
	return append(blocks, block{unix.SYS_OPENAT2, []unix.SockFilter{fail(unix.ENOSYS)}})
}
