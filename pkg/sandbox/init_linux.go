//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// wait is the second half of the helper's life: it reaps what the job leaves,
// passes signals on, keeps the limits that the kernel does not, and ends
// everything when the job or the supervisor ends. In its own pid namespace it
// is process 1, so its end is everybody's.
func (h *helper) wait() int {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT)
	gone := make(chan struct{})
	go h.listen(gone)
	ended := make(chan int, 1)
	go h.reap(ended)
	broken := h.watch()
	code, why := 0, ""
	for done := false; !done; {
		select {
		case code = <-ended:
			done = true
		case <-gone:
			code, done = 137, true
		case why = <-broken:
			code, done = 137, true
		case s := <-signals:
			if n, ok := s.(unix.Signal); ok {
				h.forward(n)
			}
		}
	}
	h.killAll()
	_ = sendNote(h.control, note{Is: noteEnd, Code: code, Text: why})
	return code
}

// forward sends a signal to the job's process group.
func (h *helper) forward(s unix.Signal) {
	_ = unix.Kill(-h.job, s)
}

// killAll ends what the job started. Without a pid namespace it reaches the
// children that are still in the job's session.
func (h *helper) killAll() {
	if h.Tree {
		_ = unix.Kill(-1, unix.SIGKILL)
		return
	}
	_ = unix.Kill(-h.job, unix.SIGKILL)
	// This thread is behind the job's fence and would not see the others.
	done := make(chan struct{})
	go func() {
		killOrphans()
		close(done)
	}()
	<-done
}

// listen takes the supervisor's notes until it is gone.
func (h *helper) listen(gone chan<- struct{}) {
	buf := make([]byte, maxNote)
	for {
		n, fd, err := recvNote(h.control, buf)
		if fd >= 0 {
			unix.Close(fd)
		}
		if err != nil {
			close(gone)
			return
		}
		if n.Is == noteSignal {
			h.forward(unix.Signal(n.Signal))
		}
	}
}

// reap collects every child and reports the job's own exit code.
func (h *helper) reap(ended chan<- int) {
	for {
		var ws unix.WaitStatus
		pid, err := unix.Wait4(-1, &ws, 0, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return
		}
		if pid == h.job {
			ended <- exitCode(ws)
		}
	}
}

func exitCode(ws unix.WaitStatus) int {
	if ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return ws.ExitStatus()
}
