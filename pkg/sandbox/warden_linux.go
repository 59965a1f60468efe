//go:build linux && (amd64 || arm64)

package sandbox

import (
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// Where process 1 of the job is not the supervisor's own child, a warden stands
// between the two: a process outside of the job's Landlock domain, so that the
// job cannot signal it, which everything that loses its parent falls to. When the
// supervisor ends, however that comes, or the helper does, it ends all that is
// left and then itself. Without a pid namespace the job's forks are asked about:
// with the supervisor gone they fail, so that nobody can run ahead of it.

// wardenName is the argv[0] under which the program becomes the warden.
const wardenName = "mayi-sandbox-warden"

// lifelineFD is a pipe that nobody but the supervisor holds the other end of.
const lifelineFD = controlFD + 1

// ward is the warden's life: it starts the helper, or what makes its namespaces,
// and leaves nothing behind, the job's folder for temporary files included.
func ward(tmp, file string, args []string) int {
	runtime.LockOSThread() // which the helper's life depends on
	if err := unix.CloseRange(lifelineFD+1, ^uint(0), 0); err != nil {
		return 125
	}
	unix.CloseOnExec(controlFD)
	unix.CloseOnExec(lifelineFD)
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return 125
	}
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	attr := &syscall.ProcAttr{Dir: "/", Env: []string{}, Files: []uintptr{0, 1, 2, controlFD}, Sys: &syscall.SysProcAttr{Setsid: true, Pdeathsig: unix.SIGKILL}}
	helper, err := syscall.ForkExec(file, args, attr)
	unix.Close(controlFD)
	if err != nil {
		return 125
	}
	over := func() bool { return reapUntil(helper) }
	fds := []unix.PollFd{{Fd: lifelineFD, Events: unix.POLLIN}}
	pause := 20 // milliseconds, where the kernel has no descriptors of processes
	if p, err := unix.PidfdOpen(helper, 0); err == nil {
		fds = append(fds, unix.PollFd{Fd: int32(p), Events: unix.POLLIN})
		pause = 1000
	}
	for !over() {
		if _, err := unix.Poll(fds, pause); err != nil && err != unix.EINTR || fds[0].Revents != 0 {
			break
		}
	}
	endAll()
	if tmp != "" {
		_ = os.RemoveAll(tmp) // where the supervisor no longer can
	}
	return 0
}

// reapUntil collects children that have ended; true when one of them was helper.
func reapUntil(helper int) (ended bool) {
	for {
		pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		if err == unix.EINTR {
			continue
		}
		if err != nil || pid <= 0 {
			return ended || err == unix.ECHILD
		}
		ended = ended || pid == helper
	}
}
