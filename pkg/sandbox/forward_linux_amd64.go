package sandbox

import (
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Go starts two threads to hear of signals, and switches them on and off one by
// one with each of the others waiting: that takes longer than a short job. So the
// job of a process that does nothing else hears of them by a handler that knows
// nothing of Go: it sends the signal's number to process 1, as [Job.Signal] does.

// forwardTo is the socket, 0 before there was any, and -1 where there is none any
// more: what a process does on a signal is one thing for all of it.
var forwardTo atomic.Int32

// forwarding gives where the handler begins, and where what it returns to does.
// A function's value would lead to what calls it the way that Go does.
func forwarding() (handler, restorer uintptr)

// sigaction is the kernel's struct sigaction.
type sigaction struct {
	handler  uintptr
	flags    uint64
	restorer uintptr
	mask     uint64
}

const (
	saRestorer = 0x04000000
	saOnStack  = 0x08000000
	saRestart  = 0x10000000
)

// forward sends the signals that ask for an end to the socket until it is
// stopped; ok is false where it cannot, and nothing is changed.
func forward(socket int) (stop func(), ok bool) {
	if socket <= 0 || !forwardTo.CompareAndSwap(0, int32(socket)) && !forwardTo.CompareAndSwap(-1, int32(socket)) {
		return nil, false
	}
	signals := [...]uintptr{uintptr(unix.SIGINT), uintptr(unix.SIGQUIT), uintptr(unix.SIGTERM), uintptr(unix.SIGHUP)}
	var old [len(signals)]sigaction
	done := 0
	undo := func() {
		for i := range done {
			_ = setAction(signals[i], &old[i], nil)
		}
		forwardTo.Store(-1)
	}
	// All signals wait meanwhile: Go's own handler needs what this one does not keep.
	now := sigaction{flags: saRestorer | saOnStack | saRestart, mask: ^uint64(0)}
	now.handler, now.restorer = forwarding()
	for i, s := range signals {
		if setAction(s, &now, &old[i]) != 0 {
			undo()
			return nil, false
		}
		done++
	}
	return undo, true
}

// mute has what is still sent go nowhere: the socket is going to be closed.
func mute() {
	if forwardTo.Load() != 0 {
		forwardTo.Store(-1)
	}
}

func setAction(signal uintptr, to, old *sigaction) syscall.Errno {
	_, _, e := syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, signal, uintptr(unsafe.Pointer(to)), uintptr(unsafe.Pointer(old)), unsafe.Sizeof(to.mask), 0, 0)
	return e
}
