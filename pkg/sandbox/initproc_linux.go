//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// jobNamespaces are what every job has of its own, besides the pid and user
// namespaces that it is forked into. Process 1 makes them itself: a network
// takes the kernel longer than all the rest, and the supervisor has other things
// to do meanwhile.
const jobNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS

// raw is what belongs to a helper that is a forked process 1 with a script, and
// no program of its own.
type raw struct {
	script  *script
	setup   setup
	report  int
	forked  chan struct{} // closed when it is forked or cannot be
	err     error         // why it cannot be
	parts   [parts]script // the words for each call
	started bool          // the job's first process is there
}

// initNamespaces are what process 1 is forked into.
const initNamespaces = unix.CLONE_NEWPID | unix.CLONE_PIDFD

// ahead is what process 1 shares with the supervisor: memory and, ours first,
// two pairs of sockets. pid is 0 while it is not forked.
type ahead struct {
	region          *region
	control, report [2]int
	pid             int
}

func newAhead() (a *ahead, err error) {
	a = &ahead{control: [2]int{-1, -1}, report: [2]int{-1, -1}}
	if a.control, err = socketPair(); err == nil {
		a.report, err = socketPair()
	}
	if err != nil {
		err = fmt.Errorf("sandbox: control socket: %w", err)
	} else {
		a.region, err = newRegion()
	}
	if err != nil {
		for _, fd := range append(a.control[:], a.report[:]...) {
			closeFD(fd)
		}
		return nil, err
	}
	return a, nil
}

// startInit forks process 1 of the next job into its namespaces, or takes the
// one that was forked already; it sets up what every job has and then waits for
// its order. What fails is found out when the order is sent.
func startInit(l levels) (*helperProc, error) {
	var a *ahead
	if l.user {
		a = takeEarly()
	}
	if a == nil {
		var err error
		if a, err = newAhead(); err != nil {
			return nil, err
		}
	}
	h := &helperProc{way: l, control: a.control[0], pidfd: -1, serve: make(chan func(), 1), gone: make(chan struct{})}
	h.raw = &raw{script: &script{region: a.region}, report: a.report[0], forked: make(chan struct{})}
	h.raw.parts[partBegin] = script{says: begins()}
	if a.pid == 0 {
		spread() // it would be forked to one processor
		go h.liveInit(a)
		return h, nil
	}
	h.early = true
	h.raise(a) // another thread would not begin sooner
	h.raw.apart(a)
	return h, nil
}

// raise gives a forked process 1 its next part.
func (h *helperProc) raise(a *ahead) {
	h.pid, h.pidfd = a.pid, int(a.region.stage().pidfd)
	if h.raw.err = h.goOn(a.control[1]); h.raw.err != nil {
		_ = unix.Kill(h.pid, unix.SIGKILL)
	}
}

// socketPair is a pair of sockets whose numbers are none of the standard
// streams'.
func socketPair() (pair [2]int, err error) {
	if pair, err = unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0); err != nil {
		return pair, err
	}
	for i, fd := range pair {
		if fd > 2 {
			continue
		}
		d, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
		unix.Close(fd)
		if pair[i] = d; err != nil {
			closeFD(pair[1-i])
			return pair, err
		}
	}
	return pair, nil
}

// apart lets go of process 1's ends, which it has by now.
func (r *raw) apart(a *ahead) {
	unix.Close(a.control[1])
	unix.Close(a.report[1])
	close(r.forked)
}

// liveInit is the job's own thread, to which process 1 belongs.
func (h *helperProc) liveInit(a *ahead) {
	runtime.LockOSThread() // for good: the kernel ends process 1 with the thread
	AsStarted(func() { h.raw.err = h.fork(a) })
	if h.raw.err == nil {
		h.raise(a)
	}
	h.raw.apart(a)
	for f := range h.serve {
		f()
	}
	if h.pid > 0 {
		// Not here: others may go on at once while this thread only exists.
		go func() {
			reap(h.pid, h.pidfd)
			close(h.gone)
		}()
		<-h.gone
		return
	}
	close(h.gone)
}

func (h *helperProc) fork(a *ahead) error {
	st := a.region.stage()
	st.control, st.report, st.pidfd, st.signals = int32(a.control[1]), int32(a.report[1]), -1, -1
	st.page = uintptr(os.Getpagesize())
	flags := uintptr(initNamespaces)
	if h.way.user {
		flags |= unix.CLONE_NEWUSER
	}
	var pid uintptr
	var e unix.Errno
	if err := withoutHeap(func() { pid, e = forkInit(unsafe.Pointer(st), flags) }); err != nil {
		return setupError{err}
	}
	if e != 0 {
		return setupError{fmt.Errorf("sandbox: namespaces: %w", e)}
	}
	a.pid = int(pid)
	return nil
}

// goOn gives process 1 what it needs besides its namespaces.
func (h *helperProc) goOn(control int) error {
	if h.way.user {
		if err := writeMaps(h.pid); err != nil {
			return setupError{fmt.Errorf("sandbox: user namespace: %w", err)}
		}
	}
	s := h.raw.script
	h.raw.setup = s.setUp(control, h.way.fence)
	if err := h.raw.write(partSetup, &s.stage().setup); err != nil {
		return err
	}
	return sendBytes(h.control, []byte{0}, nil)
}

// write puts what the script says so far into the region, as one part.
func (r *raw) write(which int, to *part) error {
	p, err := r.script.done()
	if err != nil {
		return err
	}
	*to, r.parts[which] = p, *r.script
	r.script.calls, r.script.says, r.script.seen = nil, nil, nil
	return nil
}

// writeMaps says who is who in a new user namespace.
func writeMaps(pid int) error {
	uids, gids, setgroups := identityMaps()
	dir := "/proc/" + strconv.Itoa(pid) + "/"
	if err := overwrite(dir+"uid_map", mapText(uids)); err != nil {
		return err
	}
	if !setgroups {
		if err := overwrite(dir+"setgroups", []byte("deny")); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return overwrite(dir+"gid_map", mapText(gids))
}

// overwrite writes a small file of /proc at once.
func overwrite(name string, text []byte) error {
	fd, err := unix.Open(name, unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer unix.Close(fd)
	if _, err := unix.Write(fd, text); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func mapText(ids []syscall.SysProcIDMap) []byte {
	var b []byte
	for _, m := range ids {
		b = fmt.Appendf(b, "%d %d %d\n", m.ContainerID, m.HostID, m.Size)
	}
	return b
}

// send writes the parts of the script that the order asks for. Process 1 builds
// the tree while what comes after is still being written.
func (r *raw) send(control int, o *order, streams *streams) error {
	s := r.script
	st := s.stage()
	b := &builder{script: s, setup: r.setup, order: o, control: int(st.control), report: int(st.report)}
	for i, p := range []struct {
		to   *part
		fill func() error
	}{{&st.build, b.build}, {&st.start, b.start}, {&st.hold, b.attend}} {
		if err := p.fill(); err != nil {
			return err
		}
		if err := r.write(partBuild+i, p.to); err != nil {
			return &RunError{Code: 126, Text: shown(o.Path) + ": " + err.Error()}
		}
		if i > 0 {
			continue
		}
		if err := sendBytes(control, []byte{1}, streams.child[:]); err != nil {
			return setupError{fmt.Errorf("sandbox: order: %w", err)}
		}
	}
	if err := sendBytes(control, []byte{1}, nil); err != nil {
		return setupError{fmt.Errorf("sandbox: order: %w", err)}
	}
	return nil
}

// bringInit follows process 1 until the job runs. What it tells on the way
// lies in the report socket until the other ends are closed, as the program
// begins or cannot: one wake-up for everything. But the descriptor on which the
// kernel asks comes by the control socket, so that the program's very first
// calls are answered.
func (j *Job) bringInit(o *order, unsent error) error {
	report, control, asked := unix.PollFd{Fd: int32(j.helper.raw.report)}, unix.PollFd{Fd: -1}, unix.PollFd{Fd: -1}
	var b *broker
	if o.Notify != notifyNone {
		b = j.newBroker() // while process 1 works
		control.Fd, control.Events, asked.Events = int32(j.control), unix.POLLIN, unix.POLLIN
	}
	fds := []unix.PollFd{report, control, asked}
	for {
		if _, err := unix.Poll(fds, -1); err != nil && err != unix.EINTR {
			return fmt.Errorf("sandbox: wait for the job's start: %w", err)
		}
		switch {
		case fds[0].Revents != 0:
			err := j.told(o)
			switch {
			case err != nil:
			case !j.helper.raw.started:
				err = j.whyNot(unsent)
			case fds[1].Fd >= 0:
				err = j.listen(b, o) // it was sent before the program began
			}
			return err
		case fds[1].Revents != 0:
			fds[1].Fd = -1 // what comes next there is the end
			if err := j.listen(b, o); err != nil {
				return err
			}
			if j.broker != nil {
				fds[2].Fd = int32(b.fd)
			}
		case fds[2].Revents != 0:
			if fds[2].Revents&unix.POLLIN == 0 || !b.next() {
				fds[2].Fd = -1
			}
		}
	}
}

// listen takes the descriptor on which the kernel asks. Before a question can
// be put, all has to be there that was told before.
func (j *Job) listen(b *broker, o *order) error {
	var buf [recordSize]byte
	text, fds, err := recvBytes(j.control, buf[:])
	if rec := recordOf(text); err != nil || rec.Is != isLayers {
		closeAll(fds)
		if rec.Is == isEnd {
			j.over(exitCode(unix.WaitStatus(rec.Value)), "")
		}
		return nil // it has ended, and the report may say why
	}
	if err := j.told(o); err != nil {
		closeAll(fds)
		return err
	}
	return b.supervise(fds)
}

// told takes what lies in the report socket.
func (j *Job) told(o *order) error {
	r := j.helper.raw
	fds := []unix.PollFd{{Fd: int32(r.report), Events: unix.POLLIN}}
	var buf [recordSize]byte
	for {
		n, err := unix.Poll(fds, 0)
		if err == unix.EINTR {
			continue
		}
		if n <= 0 || fds[0].Revents&unix.POLLIN == 0 {
			return err
		}
		b, got, err := recvBytes(r.report, buf[:])
		if err != nil {
			return nil // all ends are closed
		}
		rec := recordOf(b)
		switch rec.Is {
		case isFailed:
			closeAll(got)
			return j.unstarted(o, r.failure(o, rec))
		case isStarted:
			r.started = true
		case isPty:
			j.io.attach(one(got))
		case isProxy:
			j.listener = one(got)
		case isProc:
			j.watch = newWatcher(j.plan, one(got), 1)
		default:
			closeAll(got)
		}
	}
}

// whyNot is why a job has not started whose process 1 does not say it.
func (j *Job) whyNot(unsent error) error {
	switch {
	case j.ctx.Err() != nil:
		return context.Cause(j.ctx)
	case unsent != nil:
		return unsent
	}
	return setupError{errors.New("sandbox: process 1 of the job ended before the command was started")}
}

// recordOf reads a record; one that is too short is none.
func recordOf(b []byte) record {
	if len(b) < 16 {
		return record{}
	}
	at := func(i int) uint32 { return binary.NativeEndian.Uint32(b[4*i:]) }
	return record{at(0), at(1), at(2), int32(at(3))}
}

// failure puts a record of a failed call into words.
func (r *raw) failure(o *order, n record) error {
	says := "start"
	if int(n.Part) < len(r.parts) && int(n.Call) < len(r.parts[n.Part].says) {
		says = r.parts[n.Part].says[n.Call]
	}
	var e error = unix.Errno(n.Value)
	switch {
	case n.Part == partStart && int(n.Call) == len(r.parts[partStart].says)-1:
		if e == unix.ENOENT && !strings.Contains(o.Path, "/") {
			e = errNotFound
		}
		return &RunError{Code: codeOf(e), Text: says + ": " + e.Error()}
	case says == placeOf(o):
		return &RunError{Code: 125, Text: "sandbox: " + says + ": " + e.Error()}
	}
	return setupError{fmt.Errorf("sandbox: %s: %w", says, e)}
}
