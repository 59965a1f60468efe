//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// helperName is the argv[0] under which the program becomes the helper.
const helperName = "mayi-sandbox-helper"

// controlFD is the helper's only descriptor besides the standard streams.
const controlFD = 3

// Main turns the process into the helper when it was started as one, and then
// does not return. Call it first in main: what runs before it runs in every
// helper as well.
func Main() {
	if len(os.Args) > 3 && os.Args[0] == wardenName {
		syscall.Exit(ward(os.Args[1], os.Args[2], os.Args[3:]))
	}
	direct := len(os.Args) == 1 && os.Args[0] == helperName
	wrapped := len(os.Args) == 2 && os.Args[0] == bwrapHelper && os.Args[1] == helperName
	if !direct && !wrapped {
		return
	}
	// What is set up here belongs to one thread, the one that starts the job.
	runtime.LockOSThread()
	syscall.Exit(help()) // at once: a race detector would wait a second
}

// help is the helper's life: build, confine, start, wait, end.
func help() int {
	// Nothing that the caller of our caller left open goes any further.
	if err := unix.CloseRange(controlFD+1, ^uint(0), 0); err != nil {
		return 125
	}
	unix.CloseOnExec(controlFD)
	// The end of the supervisor, or of the warden, is the end of the helper, at
	// once and by itself; the control socket says the same where the kernel was
	// too early.
	_ = unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0)
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	o, err := takeOrder(controlFD)
	if err != nil {
		return 125
	}
	h := &helper{order: o, control: controlFD}
	code, err := h.start()
	if err != nil {
		is := noteFailed
		if canDegrade(err) {
			is = noteSetup
		}
		_ = sendNote(h.control, note{Is: is, Code: code, Text: err.Error()})
		return code
	}
	// This thread is behind the job's filter and may not do anything more.
	end := make(chan int)
	go func() {
		runtime.LockOSThread()
		_ = dropThreadCapabilities()
		releaseStreams()
		end <- h.wait()
	}()
	return <-end
}

// releaseStreams lets go of the job's streams: their end must not wait for the
// helper's.
func releaseStreams() {
	null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	for i := range 3 {
		_ = unix.Dup3(null, i, 0)
	}
	unix.Close(null)
}

type helper struct {
	*order
	control int
	job     int
	slave   int
}

// start brings the job up. The order matters: what needs the namespaces'
// capabilities, then their loss, then the layers that cannot be taken back.
func (h *helper) start() (int, error) {
	h.slave = -1
	if h.Pty {
		if err := h.openPty(); err != nil {
			return 125, err
		}
	}
	if h.Proxy {
		if err := h.offerListener(); err != nil {
			return 125, err
		}
	}
	if err := unix.Chdir(h.Dir); err != nil {
		return 125, fmt.Errorf("sandbox: working directory %s: %w", shown(h.Dir), plain(err))
	}
	file, err := h.lookup()
	if err != nil {
		return codeOf(err), err
	}
	limits := h.Plan.Limits
	if !h.Tree {
		limits.Processes = 0 // would count the user's other processes
	}
	if err := setLimits(limits); err != nil {
		return 125, err
	}
	if err := dropPrivileges(); err != nil {
		return 125, err
	}
	if err := h.confine(); err != nil {
		return 125, err
	}
	pid, err := h.launch(file)
	if err != nil {
		return codeOf(err), fmt.Errorf("%s: %w", shown(h.Path), plain(err))
	}
	h.job = pid
	if h.slave >= 0 {
		unix.Close(h.slave)
	}
	return 0, sendNote(h.control, note{Is: noteStarted, Pid: pid})
}

// confine puts the calling thread, and so the job, behind Landlock and the
// filters.
func (h *helper) confine() error {
	if h.Fence {
		version := landlockVersion()
		if h.Notify == notifySignals {
			version = min(version, 5) // the supervisor keeps the signals
		}
		f, err := fenceOf(h.Plan.Grants, version, h.Tree)
		if err != nil {
			return err
		}
		if err := f.apply(); err != nil {
			return err
		}
	}
	if !h.Filter {
		return nil
	}
	root, err := unix.Open("/", unix.O_PATH|unix.O_CLOEXEC|unix.O_DIRECTORY, 0)
	if err != nil {
		return fmt.Errorf("sandbox: the job's root: %w", err)
	}
	defer unix.Close(root)
	fd, err := installFilter(jobFilter(filterFor{OwnNet: h.Tree, Notify: h.Notify}), h.Notify != notifyNone)
	if err != nil {
		return setupError{fmt.Errorf("sandbox: seccomp: %w", err)}
	}
	if fd < 0 {
		return nil
	}
	err = sendNote(h.control, note{Is: noteAsk}, fd, root)
	unix.Close(fd)
	return err
}

// codeOf is the exit code that a shell gives for a program that cannot be run.
func codeOf(err error) int {
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, errNotFound) {
		return 127
	}
	return 126
}

// plain takes the system call's name off an error.
func plain(err error) error {
	var e unix.Errno
	if errors.As(err, &e) {
		return e
	}
	return err
}
