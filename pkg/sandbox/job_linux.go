//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Job is a running command. Its methods may be called concurrently.
type Job struct {
	enforced []Level
	cmd      Command
	spec     Spec
	plan     plan
	io       *streams
	control  int
	helper   int
	tree     bool
	wrapped  bool   // by bubblewrap
	tmp      string // the job's folder for temporary files, without a tree
	// The supervisor's thread, where there is one.
	broker     chan struct{}
	stopBroker func()
	listener   net.Listener // the proxy's, where there is one
	sendMu     sync.Mutex

	mu     sync.Mutex
	result Result
	ended  bool

	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{}
}

// Enforced are the levels that hold this job, really.
func (j *Job) Enforced() []Level { return append([]Level(nil), j.enforced...) }

// Start runs a command under a Spec and returns when it runs, or with an error
// that says why it cannot: the sandbox could not be set up, or, as a
// [*RunError] with an exit code, the program could not be run. The job ends
// when ctx does.
func Start(ctx context.Context, s Spec, c Command) (*Job, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	ways, err := ladder(&s, &c)
	if err != nil {
		return nil, err
	}
	var last error
	for _, l := range ways {
		j, err := start(ctx, s, c, l)
		if err == nil {
			return j, nil
		}
		if last = err; !canDegrade(err) || ctx.Err() != nil {
			return nil, err
		}
	}
	if s.Required {
		return nil, fmt.Errorf("sandbox: %w: %w; see mayi doctor", ErrNotEnforced, last)
	}
	return nil, last
}

// start tries one way.
func start(ctx context.Context, s Spec, c Command, l levels) (*Job, error) {
	j := &Job{cmd: c, spec: s, plan: planOf(&s), helper: -1, done: make(chan struct{}), enforced: l.list(), tree: l.tree, wrapped: l.by == byBwrap}
	if !l.tree {
		tmp, err := os.MkdirTemp("", "mayi-job-")
		if err != nil {
			return nil, fmt.Errorf("sandbox: a folder for temporary files: %w", err)
		}
		j.tmp = tmp
		j.plan = j.plan.withoutTree(tmp)
	}
	j.ctx, j.cancel = context.WithCancel(ctx)
	if err := j.begin(l); err != nil {
		j.cancel()
		j.tidy()
		return nil, err
	}
	go j.follow()
	return j, nil
}

// tidy removes what the job had outside of a tree of its own.
func (j *Job) tidy() {
	if j.tmp != "" {
		_ = os.RemoveAll(j.tmp)
	}
}

// RunError says that the program could not be run, as a shell would.
type RunError struct {
	Code int // 125, 126 or 127
	Text string
}

func (e *RunError) Error() string { return e.Text }

// begin starts the helper and waits until the job runs.
func (j *Job) begin(l levels) (err error) {
	o := j.order(l)
	sheet, err := orderFile(o)
	if err != nil {
		return err
	}
	defer sheet.Close()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("sandbox: control socket: %w", err)
	}
	j.control = pair[0]
	theirs := os.NewFile(uintptr(pair[1]), "control")
	defer theirs.Close()
	if j.io, err = openStreams(&j.cmd, j.plan.Limits.Output, o); err != nil {
		unix.Close(j.control)
		return err
	}
	// The order may have been completed by the streams.
	if err := rewriteOrder(sheet, o); err != nil {
		return err
	}
	if err := j.fork(l, sheet, theirs); err != nil {
		unix.Close(j.control)
		j.io.abandon()
		return err
	}
	theirs.Close()
	j.io.childStarted()
	if err := j.handshake(); err != nil {
		j.end()
		return err
	}
	return nil
}

func (j *Job) order(l levels) *order {
	o := &order{Plan: j.plan, Dir: j.spec.Dir, Env: environment(j.cmd.Env, j.spec.Env), Tree: l.tree, Fence: l.fence, Filter: l.filter, Notify: l.notify, Built: l.by == byBwrap}
	o.Args = append([]string(nil), j.cmd.Args...)
	if len(o.Args) == 0 {
		o.Args = []string{"bash", "-c", j.cmd.Shell}
		o.Path = "/bin/bash"
		if _, err := os.Stat(o.Path); err != nil {
			o.Path, o.Args[0] = "/bin/sh", "sh"
		}
	} else {
		o.Path = o.Args[0]
	}
	if os.Geteuid() == 0 {
		// What belongs to root below /proc steers the whole machine.
		for i, g := range o.Plan.Grants {
			if g.Path == "/proc" {
				o.Plan.Grants[i].Access &^= canWrite
			}
		}
	}
	o.Proxy = j.spec.Network.Proxy && l.tree
	if o.Proxy {
		o.Env = proxyVariables(o.Env)
	}
	o.Env = setenv(o.Env, "PWD", j.spec.Dir)
	if j.tmp != "" {
		o.Env = setenv(o.Env, "TMPDIR", j.tmp)
	}
	return o
}

func orderFile(o *order) (*os.File, error) {
	fd, err := unix.MemfdCreate("order", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("sandbox: order: %w", err)
	}
	return os.NewFile(uintptr(fd), "order"), nil
}

func rewriteOrder(f *os.File, o *order) error {
	b, err := json.Marshal(o)
	if err == nil {
		_, err = f.WriteAt(b, 0)
	}
	if err != nil {
		return fmt.Errorf("sandbox: order: %w", err)
	}
	return nil
}

// fork starts the helper on a thread that stays until the helper has ended:
// the kernel ends the helper with the thread that started it.
func (j *Job) fork(l levels, sheet, control *os.File) error {
	attr := &os.ProcAttr{
		Dir: "/", Env: []string{}, Files: []*os.File{j.io.child[0], j.io.child[1], j.io.child[2], sheet, control},
		Sys: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL},
	}
	file, args := "/proc/self/exe", []string{helperName}
	switch {
	case l.by == byBwrap:
		exe, err := os.Executable()
		if err != nil {
			return setupError{fmt.Errorf("sandbox: %w", err)}
		}
		file, args = bwrapPath, bwrapArgs(j.plan.Steps, exe)
	case l.tree:
		attr.Sys.Cloneflags = syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS
		if l.user {
			// A user other than root would lose them with the exec.
			attr.Sys.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP}
			attr.Sys.Cloneflags |= syscall.CLONE_NEWUSER
			attr.Sys.UidMappings, attr.Sys.GidMappings, attr.Sys.GidMappingsEnableSetgroups = identityMaps()
		}
	}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		p, err := os.StartProcess(file, args, attr)
		if err == nil {
			j.helper = p.Pid
		}
		started <- err
		if err != nil {
			return
		}
		_, _ = p.Wait()
		close(j.done)
	}()
	if err := <-started; err != nil {
		return setupError{fmt.Errorf("sandbox: start the helper: %w", err)}
	}
	return nil
}

// handshake takes the helper's notes until the job runs.
func (j *Job) handshake() error {
	buf := make([]byte, maxNote)
	for {
		n, fd, err := recvNote(j.control, buf)
		if err != nil {
			return setupError{fmt.Errorf("sandbox: the helper ended before the command was started (%w)", err)}
		}
		switch n.Is {
		case noteSetup:
			return setupError{errors.New(n.Text)}
		case noteFailed:
			return &RunError{Code: n.Code, Text: n.Text}
		case noteStarted:
			return nil
		case notePty:
			j.io.attach(fd)
		case noteProxy:
			if err := j.serveProxy(fd); err != nil {
				return err
			}
		case noteAsk:
			if err := j.supervise(fd, n.Flag); err != nil {
				return err
			}
		default:
			if fd >= 0 {
				unix.Close(fd)
			}
		}
	}
}

// follow takes the notes of the running helper until its end.
func (j *Job) follow() {
	go func() {
		var late <-chan time.Time
		if t := j.plan.Limits.Time; t > 0 {
			timer := time.NewTimer(t)
			defer timer.Stop()
			late = timer.C
		}
		select {
		case <-j.ctx.Done():
			j.stop("it was cancelled")
		case <-late:
			j.stop(fmt.Sprintf("it took longer than %s", j.plan.Limits.Time))
		case why := <-j.io.over:
			j.stop(why)
		case <-j.done:
		}
	}()
	buf := make([]byte, maxNote)
	for {
		n, fd, err := recvNote(j.control, buf)
		if fd >= 0 {
			unix.Close(fd)
		}
		if err != nil {
			break
		}
		if n.Is == noteEnd {
			j.mu.Lock()
			if !j.ended {
				j.ended = true
				j.result.Code = n.Code
				if j.result.Stopped == "" {
					j.result.Stopped = n.Text
				}
			}
			j.mu.Unlock()
		}
	}
	j.end()
}

// stop ends the job from outside and remembers why.
func (j *Job) stop(why string) {
	j.mu.Lock()
	if !j.ended && j.result.Stopped == "" {
		j.result.Stopped = why
	}
	j.mu.Unlock()
	if p := j.helper; p > 0 {
		select {
		case <-j.done:
		default:
			_ = unix.Kill(p, unix.SIGKILL)
		}
	}
}

// end waits for the helper and closes everything.
func (j *Job) end() {
	_ = unix.Shutdown(j.control, unix.SHUT_WR)
	<-j.done
	j.mu.Lock()
	if !j.ended {
		j.ended = true
		j.result.Code = 137
	}
	j.mu.Unlock()
	j.cancel()
	if j.broker != nil {
		j.stopBroker()
		<-j.broker
	}
	if j.listener != nil {
		j.listener.Close()
	}
	j.io.finish()
	j.tidy()
	j.sendMu.Lock()
	unix.Close(j.control)
	j.control = -1
	j.sendMu.Unlock()
	close(j.io.closed)
}

// Wait returns when the job has ended, all its processes are gone and its
// output has been passed on.
func (j *Job) Wait() Result {
	<-j.io.closed
	j.mu.Lock()
	defer j.mu.Unlock()
	r := j.result
	r.Cut = j.io.cut.Load()
	r.Violations = append([]Violation(nil), r.Violations...)
	return r
}

// Signal passes a signal on to the job's process group.
func (j *Job) Signal(s os.Signal) error {
	n, ok := s.(syscall.Signal)
	if !ok {
		return errors.New("sandbox: not a signal of this system")
	}
	j.sendMu.Lock()
	defer j.sendMu.Unlock()
	if j.control < 0 {
		return os.ErrProcessDone
	}
	return sendNote(j.control, note{Is: noteSignal, Signal: int(n)})
}

// Kill ends the job with everything in it.
func (j *Job) Kill() { j.stop("it was ended") }

// report remembers and passes on a violation, each different one once.
func (j *Job) report(v Violation) {
	j.mu.Lock()
	for _, o := range j.result.Violations {
		if o.Op == v.Op && o.Path == v.Path && o.Host == v.Host && o.Port == v.Port {
			j.mu.Unlock()
			return
		}
	}
	if len(j.result.Violations) < 200 {
		j.result.Violations = append(j.result.Violations, v)
	}
	j.mu.Unlock()
	if j.cmd.Report != nil {
		j.cmd.Report(v)
	}
}
