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
	script *script
	setup  setup
	report int
	forked chan struct{} // closed when it is forked or cannot be
	err    error         // why it cannot be
	parts  [parts]script // the words for each call
	layers []int         // the descriptors on which the kernel asks
}

// startInit forks process 1 of the next job into its namespaces; it sets up
// what every job has and then waits for its order. What fails is found out when
// the order is sent.
func startInit(l levels) (*helperProc, error) {
	var pairs [2][2]int
	for i := range pairs {
		pair, err := socketPair()
		if err != nil {
			if i > 0 {
				closeAll(pairs[0][:])
			}
			return nil, fmt.Errorf("sandbox: control socket: %w", err)
		}
		pairs[i] = pair
	}
	mem, err := newRegion()
	if err != nil {
		closeAll(pairs[0][:])
		closeAll(pairs[1][:])
		return nil, err
	}
	h := &helperProc{way: l, control: pairs[0][0], pidfd: -1, serve: make(chan func(), 1), gone: make(chan struct{})}
	h.raw = &raw{script: &script{region: mem}, report: pairs[1][0], forked: make(chan struct{})}
	go h.liveInit(pairs[0][1], pairs[1][1])
	return h, nil
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

// liveInit is the thread that process 1 belongs to.
func (h *helperProc) liveInit(control, report int) {
	runtime.LockOSThread() // for good: the kernel ends process 1 with the thread
	h.raw.err = h.fork(control, report)
	unix.Close(control)
	unix.Close(report)
	close(h.raw.forked)
	for f := range h.serve {
		f()
	}
	if h.pid > 0 {
		waitFor(h.pid)
	}
	close(h.gone)
}

func (h *helperProc) fork(control, report int) error {
	s := h.raw.script
	st := s.stage()
	st.control, st.report, st.pidfd, st.signals = int32(control), int32(report), -1, -1
	st.page = uintptr(os.Getpagesize())
	s.begin(control, report)
	if err := h.raw.write(partBegin, &st.begin); err != nil {
		return err
	}
	flags := uintptr(unix.CLONE_NEWPID | unix.CLONE_PIDFD)
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
	h.pid, h.pidfd = int(pid), int(st.pidfd)
	err := h.goOn(control)
	if err != nil {
		_ = unix.Kill(h.pid, unix.SIGKILL)
	}
	return err
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
	r.script.calls, r.script.says = nil, nil
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

// bringInit sends the order and takes what process 1 tells until the job runs.
func (j *Job) bringInit(o *order) error {
	r := j.helper.raw
	unsent := r.send(j.control, o, j.io)
	if unsent != nil && !canDegrade(unsent) {
		return unsent
	}
	j.io.childStarted()
	// One wake-up for all that is told: the other ends are closed when the
	// program begins, or when it cannot.
	hangup := []unix.PollFd{{Fd: int32(r.report)}}
	for {
		if _, err := unix.Poll(hangup, -1); err != unix.EINTR {
			break
		}
	}
	var buf [32]byte
	started := false
	for {
		b, fds, err := recvBytes(r.report, buf[:])
		if err != nil {
			if started && errors.Is(err, errGone) {
				return nil // the program has closed it as it began
			}
			if j.ctx.Err() != nil {
				return context.Cause(j.ctx)
			}
			if unsent != nil {
				return unsent
			}
			return setupError{fmt.Errorf("sandbox: process 1 of the job ended before the command was started (%w)", err)}
		}
		n := recordOf(b)
		switch n.Is {
		case isFailed:
			err = j.unstarted(o, r.failure(o, n))
		case isStarted:
			started = true
		case isPty:
			j.io.attach(one(fds))
		case isProxy:
			j.listener = one(fds)
		case isProc:
			j.watch = newWatcher(j.plan, one(fds), 1)
		case isLayers:
			r.layers = fds // for the job's own thread
		default:
			closeAll(fds)
		}
		if err != nil {
			return err
		}
	}
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
