//lint:file-ignore U1000 the entry point in assembly, which the linker is told of, is what calls this

package sandbox

import (
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Go's runtime, its packages and the decision take a while before it is known
// what a job is to be. Process 1 of the next job needs as long for its
// namespaces. So where the front is started to run a command, its entry point
// forks process 1 first and starts Go then. Whatever fails is left to
// [Prepare], which does the same in Go; a process 1 that nobody takes over ends
// with the process, or with the sockets when it becomes another program.

func earlyEntry()

// What the entry point leaves behind. It is written before any other code
// runs, and taken by the first [Prepare].
var (
	earlyThread [3]uintptr
	earlyStack  *[3]uintptr // argc, argv[0], argv[1], …
	earlyInit   = struct {
		region          uintptr
		control, report [2]int32
		pid             uintptr // 0 where there is none, or it is taken
	}{control: [2]int32{-1, -1}, report: [2]int32{-1, -1}}
)

// What the entry point has changed of its own process.
var (
	earlySlack uintptr // what timers were exact to, in nanoseconds; 0 where nothing is changed
	earlyCPUs  struct {
		all, one [16]uint64
		bytes    uintptr // of those: what the kernel knows; 0 where nothing is changed
		here     [2]uint32
	}
)

// takeEarly gives the process 1 that was forked ahead, once; nil where there is
// none. It belongs to the process's first thread, which Go never ends.
func takeEarly() *ahead {
	pid := int(atomic.SwapUintptr(&earlyInit.pid, 0))
	if pid == 0 {
		return nil
	}
	e := &earlyInit
	return &ahead{
		region:  &region{mem: unsafe.Slice(*(**byte)(unsafe.Pointer(&e.region)), regionSize), used: unsafe.Sizeof(stage{})},
		control: [2]int{int(e.control[0]), int(e.control[1])}, report: [2]int{int(e.report[0]), int(e.report[1])},
		pid: pid,
	}
}

// early is what runs before Go's runtime: as in a forked process nothing of it
// can be relied on.
//
//go:norace
//go:nocheckptr
//go:nosplit
func early() {
	command := uint64(0)
	if earlyStack[0] > 1 {
		// The strings of the arguments are followed by those of the environment
		// and by the file's name, so that eight bytes can be read.
		command = **(**uint64)(unsafe.Pointer(&earlyStack[2]))
	}
	switch {
	case uint32(command) == 'r'|'u'<<8|'n'<<16, command == 'e'|'x'<<8|'e'<<16|'c'<<24|'-'<<32|'c'<<40|'o'<<48|'n'<<56:
		fork()
	case command&(1<<40-1) == 'h'|'o'<<8|'o'<<16|'k'<<24:
	default:
		return
	}
	// Go's runtime has a thread that looks at the others every 20 microseconds
	// while there is work. A process that is over in a few milliseconds has no
	// use for that; this way it comes every millisecond.
	earlySlack, _, _ = syscall.RawSyscall6(syscall.SYS_PRCTL, unix.PR_GET_TIMERSLACK, 0, 0, 0, 0, 0)
	syscall.RawSyscall6(syscall.SYS_PRCTL, unix.PR_SET_TIMERSLACK, slack, 0, 0, 0, 0)
	alone()
}

// slack is how exact the front's own timers are, in nanoseconds.
const slack = 1e6

// alone keeps the process on the processor that it is on. Go then starts one
// thread for its goroutines in place of three, which are looking for work from
// each other all the time and find none.
//
//go:norace
//go:nocheckptr
//go:nosplit
//go:noinline
func alone() {
	c := &earlyCPUs
	n, _, err := syscall.RawSyscall6(syscall.SYS_SCHED_GETAFFINITY, 0, unsafe.Sizeof(c.all), uintptr(unsafe.Pointer(&c.all)), 0, 0, 0)
	_, _, err2 := syscall.RawSyscall6(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&c.here)), 0, 0, 0, 0, 0)
	if err != 0 || err2 != 0 || uintptr(c.here[0]) >= 8*n {
		return
	}
	c.one[c.here[0]/64] = 1 << (c.here[0] % 64)
	if _, _, err := syscall.RawSyscall6(syscall.SYS_SCHED_SETAFFINITY, 0, n, uintptr(unsafe.Pointer(&c.one)), 0, 0, 0); err == 0 {
		c.bytes = n
	}
}

// spread gives all the process's threads the processors that it was started
// with. Go makes use of them a second later.
func spread() {
	if earlyCPUs.bytes == 0 {
		return
	}
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		processors(0)
		return
	}
	for _, t := range tasks {
		if tid, err := strconv.Atoi(t.Name()); err == nil {
			processors(tid)
		}
	}
}

// processors gives one thread, 0 for the calling one, the processors that the
// process was started with.
func processors(tid int) {
	if c := &earlyCPUs; c.bytes != 0 {
		syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, uintptr(tid), c.bytes, uintptr(unsafe.Pointer(&c.all)))
	}
}

// AsStarted calls f, which starts another program or becomes one, on a thread
// that has what the front has changed for itself as it was when the program was
// started: the processors, and how exact timers are. Where nothing was changed it
// only calls f.
func AsStarted(f func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	processors(0)
	if earlySlack != 0 {
		_ = unix.Prctl(unix.PR_SET_TIMERSLACK, earlySlack, 0, 0, 0)
		defer unix.Prctl(unix.PR_SET_TIMERSLACK, slack, 0, 0, 0)
	}
	f()
}

// fork forks process 1, with all that it shares with this process.
//
//go:norace
//go:nocheckptr
//go:nosplit
func fork() {
	e := &earlyInit
	for _, pair := range []*[2]int32{&e.control, &e.report} {
		_, _, err := syscall.RawSyscall6(syscall.SYS_SOCKETPAIR, unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0, uintptr(unsafe.Pointer(pair)), 0, 0)
		if err != 0 || pair[0] <= 2 || pair[1] <= 2 {
			// Without the standard streams these would take their places.
			earlyClose()
			return
		}
	}
	mem, _, err := syscall.RawSyscall6(syscall.SYS_MMAP, 0, regionSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE, ^uintptr(0), 0)
	if err != 0 {
		earlyClose()
		return
	}
	s := *(**stage)(unsafe.Pointer(&mem))
	s.control, s.report, s.pidfd, s.signals = e.control[1], e.report[1], -1, -1
	syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, sigBlock, 0, uintptr(unsafe.Pointer(&s.mask)), unsafe.Sizeof(s.mask), 0, 0)
	pid, _, err := syscall.RawSyscall6(syscall.SYS_CLONE, initNamespaces|unix.CLONE_NEWUSER|uintptr(unix.SIGCHLD), 0, uintptr(unsafe.Pointer(&s.pidfd)), 0, 0, 0)
	if err == 0 && pid == 0 {
		all := ^uint64(0)
		s.was[0] = uintptr(all)
		syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, sigSet, uintptr(unsafe.Pointer(&s.was)), 0, unsafe.Sizeof(s.mask), 0, 0)
		runInit(unsafe.Pointer(s))
	}
	if err != 0 {
		syscall.RawSyscall6(syscall.SYS_MUNMAP, mem, regionSize, 0, 0, 0, 0)
		earlyClose()
		return
	}
	e.region, e.pid = mem, pid
	elsewhere(s, pid)
}

// elsewhere has the new process run on another processor than this one, which
// goes on at once: left to itself the kernel often runs them in turns. The job
// gets all the processors back.
//
//go:norace
//go:nocheckptr
//go:nosplit
func elsewhere(s *stage, pid uintptr) {
	var here [2]uint32
	n, _, err := syscall.RawSyscall6(syscall.SYS_SCHED_GETAFFINITY, 0, unsafe.Sizeof(s.cpus), uintptr(unsafe.Pointer(&s.cpus)), 0, 0, 0)
	_, _, err2 := syscall.RawSyscall6(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&here)), 0, 0, 0, 0, 0)
	if err != 0 || err2 != 0 || uintptr(here[0]) >= 8*n {
		return
	}
	other := s.cpus
	other[here[0]/64] &^= 1 << (here[0] % 64)
	if _, _, err := syscall.RawSyscall6(syscall.SYS_SCHED_SETAFFINITY, pid, n, uintptr(unsafe.Pointer(&other)), 0, 0, 0); err == 0 {
		s.cpuBytes = n
	}
}

//go:norace
//go:nocheckptr
//go:nosplit
func earlyClose() {
	for _, pair := range []*[2]int32{&earlyInit.control, &earlyInit.report} {
		for i, fd := range pair {
			if fd >= 0 {
				syscall.RawSyscall6(syscall.SYS_CLOSE, uintptr(fd), 0, 0, 0, 0, 0)
			}
			pair[i] = -1
		}
	}
}
