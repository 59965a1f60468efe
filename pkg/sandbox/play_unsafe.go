//go:build linux && (amd64 || arm64)

package sandbox

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What follows runs in a process that was forked from one with many threads:
// nothing of Go's runtime can be relied on in it. As in package syscall's own
// fork, the functions may not grow the stack, allocate, or write pointers.

//go:linkname beforeFork syscall.runtime_BeforeFork
func beforeFork()

//go:linkname afterFork syscall.runtime_AfterFork
func afterFork()

// stage lies at the beginning of the region and tells the new processes where
// everything is.
type stage struct {
	visit part // of a visitor to a job, which is no process 1: all that it does
	setup part // of process 1: what every job has
	build part // of process 1: the job's tree and what else it needs
	start part // of the job's first process: its layers, and the program
	hold  part // of process 1, when the job runs

	control, report int32 // the sockets
	pidfd           int32
	signals         int32 // where process 1 hears of ended children
	clone           cloneArgs
	mask            uint64     // the signals that were blocked in the supervisor's thread
	was, plain      [4]uintptr // struct sigaction: a signal's, and the default
	page            uintptr    // the size of a page of memory
	cpus            [16]uint64 // the processors that the job may run on
	cpuBytes        uintptr    // 0 where process 1 may run on them, too
	null            [16]byte   // the name of what takes the standard streams' places
	status          int32
	notes           [2]record // of process 1, of the job's first process
	polls           [2]unix.PollFd
	rest            [signalInfo]byte
	again           uintptr // the arguments of a shell for a script without a first line
}

// signalInfo is the size of what a signalfd gives.
const signalInfo = 128

const (
	stageSignals = unsafe.Offsetof(stage{}.signals)
	stageMask    = unsafe.Offsetof(stage{}.mask)
	stageCPUs    = unsafe.Offsetof(stage{}.cpus)
)

// The ways to change which signals are blocked.
const (
	sigBlock = 0
	sigSet   = 2
)

// cloneArgs is struct clone_args in its first version.
type cloneArgs struct {
	flags, pidfd, childTID, parentTID, exitSignal, stack, stackSize, tls uint64
}

// stackBelow is more than the functions of this file need below the frame of
// forkInit; the linker holds what is marked nosplit to less.
const stackBelow = 4096

func (r *region) stage() *stage { return (*stage)(unsafe.Pointer(unsafe.SliceData(r.mem))) }

// record is what the new processes tell.
type record struct {
	Is         uint32
	Part, Call uint32
	Value      int32
}

// recordSize is room for a record.
const recordSize = 32

// The parts, in the order in which they are played.
const (
	partBegin = iota
	partSetup
	partBuild
	partStart
	partHold
	parts
)

// The records.
const (
	isFailed  = 1 + iota // of a part, with the call and the error
	isLayers             // with the descriptors on which the kernel asks, and the job's root
	isPty                // with the terminal's master
	isProxy              // with the listening socket
	isProc               // with the job's /proc
	isStarted            // the job's first process is there
	isEnd                // with the job's wait status
)

// forkInit forks process 1 of a job into new namespaces. All signals stay
// blocked in it, and none is handled. Of the memory that is not passed on it
// gets the stack, as far as it is used.
//
//go:norace
//go:nocheckptr
//go:noinline
func forkInit(base unsafe.Pointer, flags uintptr) (pid uintptr, e syscall.Errno) {
	s := (*stage)(base)
	syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, sigBlock, 0, uintptr(unsafe.Pointer(&s.mask)), unsafe.Sizeof(s.mask), 0, 0)
	s.clone = cloneArgs{flags: uint64(flags) | unix.CLONE_CLEAR_SIGHAND, pidfd: uint64(uintptr(unsafe.Pointer(&s.pidfd))), exitSignal: uint64(unix.SIGCHLD)}
	beforeFork()
	low := (uintptr(unsafe.Pointer(&pid)) - stackBelow) &^ (s.page - 1)
	syscall.RawSyscall6(syscall.SYS_MADVISE, low, stackBelow+2*s.page, unix.MADV_DOFORK, 0, 0, 0)
	pid, _, e = syscall.RawSyscall6(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&s.clone)), unsafe.Sizeof(s.clone), 0, 0, 0, 0)
	if e == syscall.ENOSYS || e == syscall.EPERM || e == syscall.EINVAL {
		// An older kernel, or a filter that wants to see the flags.
		pid, _, e = syscall.RawSyscall6(syscall.SYS_CLONE, flags|uintptr(unix.SIGCHLD), 0, uintptr(unsafe.Pointer(&s.pidfd)), 0, 0, 0)
		if e == 0 && pid == 0 {
			unhandle(s)
		}
	}
	if e != 0 || pid != 0 {
		afterFork()
		return pid, e
	}
	runInit(base)
	return 0, 0
}

// unhandle gives every signal that has a handler its default again.
//
//go:norace
//go:nocheckptr
//go:nosplit
func unhandle(s *stage) {
	for i := uintptr(1); i <= 64; i++ {
		_, _, e := syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, i, 0, uintptr(unsafe.Pointer(&s.was)), unsafe.Sizeof(s.mask), 0, 0)
		if e == 0 && s.was[0] > 1 {
			syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, i, uintptr(unsafe.Pointer(&s.plain)), 0, unsafe.Sizeof(s.mask), 0, 0)
		}
	}
}

// runInit is the whole life of process 1.
//
//go:norace
//go:nocheckptr
//go:nosplit
//go:noinline
func runInit(base unsafe.Pointer) {
	s := (*stage)(base)
	if s.visit.count != 0 {
		playOrEnd(base, partBegin, s.visit.first, s.visit.count)
		leave(0)
	}
	if at, e := begin(s); e != 0 {
		say(s, s.report, isFailed, partBegin, at, int32(e))
		leave(125)
	}
	playOrEnd(base, partSetup, s.setup.first, s.setup.count)
	playOrEnd(base, partBuild, s.build.first, s.build.count)
	pid, _, e := syscall.RawSyscall6(syscall.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if e != 0 {
		say(s, s.report, isFailed, partHold, 0, int32(e))
		leave(125)
	}
	if pid == 0 {
		playOrEnd(base, partStart, s.start.first, s.start.count)
		leave(125) // the program runs in the place of this, or it is an error
	}
	say(s, s.report, isStarted, partHold, 0, 0)
	playOrEnd(base, partHold, s.hold.first, s.hold.count)
	status := attendJob(s, pid)
	// What the job leaves behind ends before the end is told. Where process 1 has
	// no child there is nobody else.
	for how := uintptr(syscall.WNOHANG); ; {
		pid, _, e := syscall.RawSyscall6(syscall.SYS_WAIT4, ^uintptr(0), 0, how, 0, 0, 0)
		if e != 0 && e != syscall.EINTR {
			break
		}
		if e == 0 && pid == 0 {
			syscall.RawSyscall6(syscall.SYS_KILL, ^uintptr(0), uintptr(unix.SIGKILL), 0, 0, 0, 0)
			how = 0
		}
	}
	say(s, s.control, isEnd, 0, 0, status)
	leave(0)
}

// begins are the calls of begin, in words.
func begins() []string {
	return []string{"session", "the supervisor's end", "descriptors", "descriptors", "namespaces", "the next part", "nobody looks into it"}
}

// begin is the first part of process 1, which needs nothing of the machine or
// the job: the rest is written while it makes its namespaces.
//
//go:norace
//go:nocheckptr
//go:nosplit
func begin(s *stage) (at uint32, e syscall.Errno) {
	if _, _, e = syscall.RawSyscall6(syscall.SYS_SETSID, 0, 0, 0, 0, 0, 0); e != 0 {
		return 0, e
	}
	// The end of the supervisor is the end of the job, at once and by itself;
	// the control socket says the same where the kernel was too early.
	if _, _, e = syscall.RawSyscall6(syscall.SYS_PRCTL, syscall.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0, 0); e != 0 {
		return 1, e
	}
	low, high := uintptr(s.control), uintptr(s.report)
	if low > high {
		low, high = high, low
	}
	// Of the descriptors it keeps the two sockets, and has the standard
	// streams' numbers taken, so that nothing else gets them.
	syscall.RawSyscall6(unix.SYS_CLOSE_RANGE, 0, low-1, 0, 0, 0, 0)
	if high > low+1 {
		syscall.RawSyscall6(unix.SYS_CLOSE_RANGE, low+1, high-1, 0, 0, 0, 0)
	}
	if _, _, e = syscall.RawSyscall6(unix.SYS_CLOSE_RANGE, high+1, uintptr(^uint32(0)), 0, 0, 0, 0); e != 0 {
		return 2, e
	}
	s.null = [16]byte{'/', 'd', 'e', 'v', '/', 'n', 'u', 'l', 'l'}
	for range 3 {
		if _, _, e = syscall.RawSyscall6(syscall.SYS_OPENAT, ^uintptr(99), uintptr(unsafe.Pointer(&s.null)), unix.O_RDWR, 0, 0, 0); e != 0 {
			return 3, e
		}
	}
	if _, _, e = syscall.RawSyscall6(syscall.SYS_UNSHARE, jobNamespaces, 0, 0, 0, 0, 0); e != 0 {
		return 4, e
	}
	// The user namespace's maps are written by the supervisor, like the next
	// part of the script.
	n, _, e := syscall.RawSyscall6(syscall.SYS_READ, uintptr(s.control), uintptr(unsafe.Pointer(&s.rest)), 8, 0, 0, 0)
	if e == 0 && n < 1 {
		e = syscall.EPIPE
	}
	if e != 0 {
		return 5, e
	}
	// Only now: before, the maps could not be written.
	_, _, e = syscall.RawSyscall6(syscall.SYS_PRCTL, syscall.PR_SET_DUMPABLE, 0, 0, 0, 0, 0)
	return 6, e
}

// attendJob returns the job's wait status; it ends everything when the
// supervisor does.
//
//go:norace
//go:nocheckptr
//go:nosplit
func attendJob(s *stage, job uintptr) int32 {
	for {
		for {
			pid, _, e := syscall.RawSyscall6(syscall.SYS_WAIT4, ^uintptr(0), uintptr(unsafe.Pointer(&s.status)), syscall.WNOHANG, 0, 0, 0)
			if e == syscall.EINTR {
				continue
			}
			if e != 0 || pid == 0 {
				break
			}
			if pid == job {
				return s.status
			}
		}
		s.polls[0].Fd, s.polls[0].Events, s.polls[0].Revents = s.control, unix.POLLIN, 0
		s.polls[1].Fd, s.polls[1].Events, s.polls[1].Revents = s.signals, unix.POLLIN, 0
		_, _, e := syscall.RawSyscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&s.polls)), 2, 0, 0, 0, 0)
		if e != 0 && e != syscall.EINTR {
			leave(137)
		}
		if s.polls[1].Revents != 0 {
			syscall.RawSyscall6(syscall.SYS_READ, uintptr(s.signals), uintptr(unsafe.Pointer(&s.rest)), unsafe.Sizeof(s.rest), 0, 0, 0)
		}
		if s.polls[0].Revents != 0 {
			n, _, e := syscall.RawSyscall6(syscall.SYS_READ, uintptr(s.control), uintptr(unsafe.Pointer(&s.rest)), unsafe.Sizeof(s.rest), 0, 0, 0)
			if e == syscall.EINTR {
				continue
			}
			if e != 0 || n == 0 {
				leave(137) // the supervisor is gone, and with this process so is the job
			}
			syscall.RawSyscall6(syscall.SYS_KILL, -job, uintptr(s.rest[0]), 0, 0, 0, 0)
		}
	}
}

//go:norace
//go:nocheckptr
//go:nosplit
func leave(code uintptr) {
	for {
		syscall.RawSyscall6(syscall.SYS_EXIT_GROUP, code, 0, 0, 0, 0, 0)
	}
}

//go:norace
//go:nocheckptr
//go:nosplit
func say(s *stage, sock int32, is, part, call uint32, value int32) {
	n := &s.notes[0]
	if part == partStart {
		n = &s.notes[1] // the two share the region
	}
	n.Is, n.Part, n.Call, n.Value = is, part, call, value
	syscall.RawSyscall6(syscall.SYS_SENDTO, uintptr(sock), uintptr(unsafe.Pointer(n)), unsafe.Sizeof(*n), unix.MSG_NOSIGNAL, 0, 0)
}

// playOrEnd plays a part; a failure is told and ends the process.
//
//go:norace
//go:nocheckptr
//go:nosplit
func playOrEnd(base unsafe.Pointer, part uint32, first, count uintptr) {
	s := (*stage)(base)
	at, e := play(base, first, count)
	if e == 0 {
		return
	}
	say(s, s.report, isFailed, part, uint32(at), int32(e))
	leave(125)
}

// play makes the calls of a part, one after the other, until one fails.
//
//go:norace
//go:nocheckptr
//go:nosplit
func play(base unsafe.Pointer, first, count uintptr) (at uintptr, failed syscall.Errno) {
	s := (*stage)(base)
	var kept syscall.Errno
	for i := uintptr(0); i < count; i++ {
		c := (*call)(unsafe.Add(base, first+i*callSize))
		a0, a1, a2, a3, a4, a5 := c.args[0], c.args[1], c.args[2], c.args[3], c.args[4], c.args[5]
		if c.from != 0 {
			if c.from&1 != 0 {
				a0 = uintptr(*(*int32)(unsafe.Add(base, a0)))
			}
			if c.from&2 != 0 {
				a1 = uintptr(*(*int32)(unsafe.Add(base, a1)))
			}
			if c.from&4 != 0 {
				a2 = uintptr(*(*int32)(unsafe.Add(base, a2)))
			}
		}
		var r uintptr
		var e syscall.Errno
		switch c.nr {
		case playExec:
			// a0 is the file, a1 the arguments, a2 the environment, a5 lets it pass.
			_, _, e = syscall.RawSyscall6(syscall.SYS_EXECVE, a0, a1, a2, 0, 0, a5)
			if e == syscall.ENOEXEC {
				// A script without a first line that names its interpreter: a3
				// is a shell, a4 its arguments, of which the second is the file.
				*(*uintptr)(unsafe.Add(base, s.again)) = a0
				_, _, e = syscall.RawSyscall6(syscall.SYS_EXECVE, a3, a4, a2, 0, 0, a5)
			}
			if e != syscall.ENOENT && e != syscall.ENOTDIR {
				kept = e
			}
			continue
		case playGiveUp:
			if kept == 0 {
				kept = syscall.ENOENT
			}
			return i, kept
		case playCopy:
			*(*int32)(unsafe.Add(base, a1)) = *(*int32)(unsafe.Add(base, a0))
		case playSame:
			if *(*uint64)(unsafe.Add(base, a0)) != *(*uint64)(unsafe.Add(base, a1)) {
				e = syscall.ESTALE
			}
		default:
			r, _, e = syscall.RawSyscall6(c.nr, a0, a1, a2, a3, a4, a5)
		}
		if e == 0 && r < uintptr(c.least) {
			e = syscall.EPIPE
		}
		if e == 0 {
			if c.out != 0 {
				*(*int32)(unsafe.Add(base, c.out)) = int32(r)
			}
			continue
		}
		switch {
		case c.may&mayFail != 0,
			c.may&mayMiss != 0 && (e == syscall.ENOENT || e == syscall.EACCES || e == syscall.ENOTDIR),
			c.may&mayExist != 0 && e == syscall.EEXIST:
			i += uintptr(c.skip)
			continue
		}
		return i, e
	}
	return count, 0
}
