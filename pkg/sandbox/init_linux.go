//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// wait is the second half of the helper's life: it reaps what the job leaves,
// passes signals on, keeps the limits that the kernel does not, and ends
// everything when the job or the supervisor ends. In its own pid namespace it
// is process 1, so its end is everybody's. All of it happens on one thread:
// the start of others would cost a short job more than the job.
func (h *helper) wait() int {
	code, why := h.attend()
	h.killAll()
	_ = sendNote(h.control, note{Is: noteEnd, Code: code, Text: why})
	return code
}

// attend returns when the job is to end, with its exit code and, where it is
// stopped, the reason.
func (h *helper) attend() (int, string) {
	fds := []unix.PollFd{{Fd: int32(h.control), Events: unix.POLLIN}}
	if p, err := unix.PidfdOpen(h.job, 0); err == nil {
		fds = append(fds, unix.PollFd{Fd: int32(p), Events: unix.POLLIN})
	}
	var w *watcher
	if h.Tree {
		if proc, err := unix.Open("/proc", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0); err == nil {
			w = newWatcher(h.Plan, proc, os.Getpid())
		}
	}
	buf := make([]byte, maxNote)
	for {
		if code, over := h.reap(); over {
			return code, ""
		}
		pause, why := w.tick(time.Now())
		if why != "" {
			return 137, why
		}
		if pause < 0 {
			pause = int(watchLong.Milliseconds())
		}
		if len(fds) < 2 && pause > 10 {
			pause = 10
		}
		if _, err := unix.Poll(fds, pause); err != nil && !errors.Is(err, unix.EINTR) {
			return 137, "the helper cannot wait"
		}
		if fds[0].Revents == 0 {
			continue
		}
		n, got, err := recvNote(h.control, buf)
		closeAll(got)
		if err != nil {
			return 137, "the supervisor is gone"
		}
		if n.Is == noteSignal {
			h.forward(unix.Signal(n.Signal))
		}
	}
}

// reap collects every child that has ended; over: the job itself has.
func (h *helper) reap() (code int, over bool) {
	for {
		var ws unix.WaitStatus
		pid, err := unix.Wait4(-1, &ws, unix.WNOHANG, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || pid <= 0 {
			return code, over
		}
		if pid == h.job {
			code, over = exitCode(ws), true
		}
	}
}

// forward sends a signal to the job's process group.
func (h *helper) forward(s unix.Signal) {
	_ = unix.Kill(-h.job, s)
}

// killAll ends what the job started. Without a pid namespace that is what the
// warden does when the helper ends.
func (h *helper) killAll() {
	if h.Tree {
		_ = unix.Kill(-1, unix.SIGKILL)
		return
	}
	_ = unix.Kill(-h.job, unix.SIGKILL)
}

func exitCode(ws unix.WaitStatus) int {
	if ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return ws.ExitStatus()
}
