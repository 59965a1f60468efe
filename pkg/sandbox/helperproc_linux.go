//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// helperProc is a started helper that waits for its order. One goroutine, tied
// to its thread, starts it, serves it and waits for it: the kernel ends the
// helper with the thread that started it. A process 1 that was forked before Go
// started belongs to the process's first thread, which lives for as long as the
// process: any goroutine may serve it.
type helperProc struct {
	way     levels
	control int
	pid     int
	pidfd   int           // safe against a number that is used again; -1 on old kernels
	early   bool          // forked before Go started
	serve   chan func()   // what the thread does next; closed: let it end
	once    sync.Once     // to wait for an early one
	gone    chan struct{} // the process has been waited for
	life    *os.File      // closed: the warden ends everything; nil where there is none
	raw     *raw          // of a forked process 1 without a program; else nil
}

// ready waits until the process is there, or cannot be had.
func (h *helperProc) ready() error {
	if h.raw == nil {
		return nil
	}
	<-h.raw.forked
	return h.raw.err
}

// startHelper starts what sets the job up. It has no streams and no order yet.
// tmp is a folder of the job's that ends with it, or "".
func startHelper(l levels, steps []step, tmp string) (*helperProc, error) {
	if l.by == byHelper {
		return startInit(l)
	}
	spread()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("sandbox: control socket: %w", err)
	}
	_ = unix.SetsockoptInt(pair[0], unix.SOL_SOCKET, unix.SO_SNDBUF, 1<<20)
	file, args, attr, err := helperArgs(l, steps, tmp)
	if err != nil {
		closeAll(pair[:])
		return nil, err
	}
	h := &helperProc{way: l, control: pair[0], pidfd: -1, serve: make(chan func(), 1), gone: make(chan struct{})}
	null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		closeAll(pair[:])
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	attr.Files = []uintptr{uintptr(null), uintptr(null), uintptr(null), uintptr(pair[1])}
	attr.Sys.PidFD = &h.pidfd
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		closeAll(append(pair[:], null))
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	lifeline := p[0]
	h.life = os.NewFile(uintptr(p[1]), "lifeline")
	attr.Files = append(attr.Files, uintptr(lifeline))
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		var pid int
		var err error
		AsStarted(func() { pid, err = syscall.ForkExec(file, args, attr) })
		unix.Close(pair[1])
		unix.Close(null)
		closeFD(lifeline)
		h.pid = pid
		started <- err
		if err != nil {
			return
		}
		for f := range h.serve {
			f()
		}
		waitFor(pid)
		close(h.gone)
	}()
	if err := <-started; err != nil {
		unix.Close(h.control)
		h.life.Close()
		return nil, setupError{fmt.Errorf("sandbox: start the helper: %w", err)}
	}
	return h, nil
}

func waitFor(pid int) {
	for {
		if _, err := unix.Wait4(pid, nil, 0, nil); err != unix.EINTR {
			return
		}
	}
}

// reap waits for the end of a child. With a pidfd it does not keep one of Go's
// processors busy with that, for which others would have to wait.
func reap(pid, pidfd int) {
	if d, err := unix.FcntlInt(uintptr(pidfd), unix.F_DUPFD_CLOEXEC, 3); err == nil && unix.SetNonblock(d, true) == nil {
		f := os.NewFile(uintptr(d), "pidfd")
		defer f.Close()
		if c, err := f.SyscallConn(); err == nil {
			over := false
			_ = c.Read(func(uintptr) bool {
				got, err := unix.Wait4(pid, nil, unix.WNOHANG, nil)
				over = got == pid || err != nil && err != unix.EINTR
				return over
			})
			if over {
				return
			}
		}
	}
	waitFor(pid)
}

// helperArgs says what is started, and how.
func helperArgs(l levels, steps []step, tmp string) (file string, args []string, attr *syscall.ProcAttr, err error) {
	attr = &syscall.ProcAttr{Dir: "/", Env: []string{}, Sys: &syscall.SysProcAttr{Setsid: true}}
	args = []string{wardenName, tmp, "/proc/self/exe", helperName}
	if l.by == byBwrap {
		exe, err := os.Executable()
		if err != nil {
			return "", nil, nil, setupError{fmt.Errorf("sandbox: %w", err)}
		}
		args = append([]string{wardenName, tmp, bwrapPath}, bwrapArgs(steps, exe)...)
	}
	return "/proc/self/exe", args, attr, nil
}

// work has the helper's own goroutine do the job's work, and nothing after it.
func (h *helperProc) work(f func()) {
	if h.early {
		go func() {
			runtime.LockOSThread() // for good: what a job asks for leaves traces on a thread
			f()
		}()
		return
	}
	h.serve <- f
	close(h.serve)
}

// nothing is what there is to do for a helper without a job.
func (h *helperProc) nothing() {
	if !h.early {
		close(h.serve)
	}
}

// await returns when the process has ended and been waited for.
func (h *helperProc) await() {
	if h.early {
		h.once.Do(func() {
			waitFor(h.pid) // it ends, or has: nothing else has to wait meanwhile
			close(h.gone)
		})
	}
	<-h.gone
}

// close lets go of a helper that has ended.
func (h *helperProc) close() {
	h.await()
	unix.Close(h.control)
	closeFD(h.pidfd)
	h.life.Close()
	if h.raw != nil {
		unix.Close(h.raw.report)
		h.raw.script.free()
	}
}

// discard ends a helper that has nothing to do.
func (h *helperProc) discard() {
	h.nothing()
	_ = h.ready()
	h.kill()
	h.close()
}

func (h *helperProc) kill() {
	if h.life != nil {
		h.life.Close()
		return
	}
	select {
	case <-h.gone:
	default:
		if h.pid <= 0 {
			return
		}
		if h.pidfd >= 0 {
			_ = unix.PidfdSendSignal(h.pidfd, unix.SIGKILL, nil, 0)
			return
		}
		_ = unix.Kill(h.pid, unix.SIGKILL)
	}
}

// Prepared is a helper that was started before it is known what to run, so
// that its start and the decision take place at the same time. It holds
// nothing but what every job may see. Use it in one [Command] or release it.
type Prepared struct{ h *helperProc }

// Prepare starts a helper for the next [Start]. A nil result is fine to use:
// the helper is then started later.
func Prepare() *Prepared {
	h, err := startHelper(levels{tree: true, user: true, filter: true, fence: landlockVersion() >= 3}, nil, "")
	if err != nil {
		return nil
	}
	return &Prepared{h}
}

// Release ends a helper that is not needed.
func (p *Prepared) Release() {
	if h := p.take(); h != nil {
		go h.discard()
	}
}

func (p *Prepared) take() *helperProc {
	if p == nil {
		return nil
	}
	h := p.h
	p.h = nil
	return h
}
