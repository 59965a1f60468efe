//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
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
	helper   *helperProc
	tree     bool
	tmp      string // the job's folder for temporary files, without a tree
	listener int    // the proxy's socket until a connection waits on it, or -1
	proxied  sync.WaitGroup
	broker   *broker
	ending   atomic.Bool // it is being ended, and must not grow any more
	watch    *watcher    // keeps the limits that the kernel does not; nil where the helper does

	mu     sync.Mutex
	result Result
	ended  bool
	leader int // the program's number in the job's own pid namespace
	// control is -1 once nobody reads it any more; sendMu guards it.
	sendMu  sync.Mutex
	control int

	ctx    context.Context
	cancel context.CancelFunc
	closed chan struct{}
	unpass func()       // ends the passing on of signals
	become func() error // makes a thread one that answers the kernel
	here   func()       // the rest of the work, where the caller does it; else nil
	stops  []func()     // what is to be stopped when the job has ended
}

// Enforced are the levels that hold this job, really.
func (j *Job) Enforced() []Level { return append([]Level(nil), j.enforced...) }

// Start runs a command under a Spec and returns when it runs, or with an error
// that says why it cannot: the sandbox could not be set up, or, as a
// [*RunError] with an exit code, the program could not be run. The job ends
// when ctx does.
func Start(ctx context.Context, s Spec, c Command) (*Job, error) {
	prepared := c.Prepared
	c.Prepared = nil
	defer prepared.Release()
	if err := s.Check(); err != nil {
		return nil, err
	}
	ways, err := ladder(&s, &c)
	if err != nil {
		return nil, err
	}
	var last error
	for i, l := range ways {
		var h *helperProc
		if i == 0 {
			h = prepared.take()
		}
		j, err := start(ctx, s, c, l, h)
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

// Run runs a command as [Start] and then [Job.Wait] do; started, which may be
// nil, is told of the job once it runs. Where a process 1 was forked before Go
// started, the calling goroutine does the job's work itself: to wake other threads
// up for its start and its end would take longer than either.
func Run(ctx context.Context, s Spec, c Command, started func(*Job)) (Result, error) {
	c.here = true
	j, err := Start(ctx, s, c)
	if err != nil {
		return Result{}, err
	}
	if started != nil {
		started(j)
	}
	if j.here != nil {
		j.here()
	}
	return j.Wait(), nil
}

// RunError says that the program could not be run, as a shell would.
type RunError struct {
	Code int // 125, 126 or 127
	Text string
}

func (e *RunError) Error() string { return e.Text }

// start tries one way, with a helper that waits already or a new one.
func start(ctx context.Context, s Spec, c Command, l levels, h *helperProc) (*Job, error) {
	s.Write = append(append([]string(nil), s.Write...), worktreeFolders(s.Write)...)
	j := &Job{cmd: c, spec: s, plan: planOf(&s), enforced: l.list(), tree: l.tree, control: -1, listener: -1, become: becomeWorker, closed: make(chan struct{}), unpass: func() {}}
	if !l.tree {
		tmp, err := os.MkdirTemp("", "mayi-job-")
		if err != nil {
			return nil, fmt.Errorf("sandbox: a folder for temporary files: %w", err)
		}
		j.tmp = tmp
		j.plan = j.plan.withoutTree(tmp)
	}
	if h == nil {
		var err error
		if h, err = startHelper(l, j.plan.Steps, j.tmp); err != nil {
			j.tidy()
			return nil, err
		}
	}
	if err := h.ready(); err != nil {
		h.discard()
		j.tidy()
		return nil, err
	}
	j.helper, j.control = h, h.control
	j.ctx, j.cancel = context.WithCancel(ctx)
	o := j.order(l)
	var err error
	if j.io, err = openStreams(&j.cmd, j.plan.Limits.Output, o, j.stop); err != nil {
		h.nothing()
		j.finish()
		return nil, err
	}
	var unsent error
	if h.raw != nil {
		// The caller's thread writes the order while the job's own wakes up for all
		// that comes after.
		if unsent = h.raw.send(j.control, o, j.io); unsent != nil && !canDegrade(unsent) {
			h.nothing()
			h.kill()
			j.finish()
			return nil, unsent
		}
		j.io.childStarted()
		if c.here && h.early {
			return j.rise(o, unsent)
		}
	}
	ready := make(chan error, 1)
	h.work(func() { j.serve(o, unsent, ready) })
	if err := <-ready; err != nil {
		<-j.closed
		return nil, err
	}
	return j, nil
}

// short is how long a job is that is over before it is worth while to make room
// for more work than one processor's.
const short = 20 * time.Millisecond

// rise brings the job up on the calling goroutine, which then does the rest of
// its work.
func (j *Job) rise(o *order, unsent error) (*Job, error) {
	runtime.LockOSThread() // it may start a thread; while process 1 works, there is time for that
	defer runtime.UnlockOSThread()
	widen := time.AfterFunc(short, spread)
	j.stops = append(j.stops, func() { widen.Stop() })
	var w lent
	j.become = w.become
	if err := j.up(o, unsent); err != nil {
		j.helper.kill()
		j.down()
		w.back()
		return nil, err
	}
	j.here = func() {
		j.follow()
		j.down()
		w.back()
	}
	return j, nil
}

// tidy removes what the job had outside of a tree of its own.
func (j *Job) tidy() {
	if j.tmp != "" {
		_ = os.RemoveAll(j.tmp)
	}
}

// stop ends the job from outside and remembers why.
func (j *Job) stop(why string) {
	j.mu.Lock()
	if !j.ended && j.result.Stopped == "" {
		j.result.Stopped = why
	}
	j.mu.Unlock()
	j.ending.Store(true)
	j.helper.kill()
}

// finish waits for the helper's end and closes everything.
func (j *Job) finish() {
	j.cancel()
	_ = unix.Shutdown(j.control, unix.SHUT_WR)
	if j.mu.Lock(); !j.ended || j.helper.raw == nil {
		// A forked process 1 tells the end when everything else is gone; it does
		// not have to be waited for.
		j.mu.Unlock()
		j.helper.await()
		j.mu.Lock()
	}
	if !j.ended {
		j.ended = true
		j.result.Code = 137
		if j.result.Stopped == "" {
			j.result.Stopped = "its helper was ended from outside, or could not start a thread"
		}
	}
	j.mu.Unlock()
	if j.broker != nil {
		j.broker.close()
	}
	closeFD(j.listener)
	j.proxied.Wait()
	if j.io != nil {
		j.io.finish()
	}
	j.tidy()
	j.watch.close()
	j.sendMu.Lock()
	j.control = -1
	j.sendMu.Unlock()
	close(j.closed)
	go j.helper.close()
}

// Wait returns when the job has ended, all its processes are gone and its
// output has been passed on.
func (j *Job) Wait() Result {
	<-j.closed
	j.mu.Lock()
	defer j.mu.Unlock()
	r := j.result
	r.Cut = j.io.cut.Load()
	r.Violations = append([]Violation(nil), r.Violations...)
	return r
}

// Master is the master side of the job's terminal where [Command.Rows] asked
// for one without a Tty; nil otherwise. It is closed when the job has ended.
func (j *Job) Master() *os.File {
	if j.io.term == nil || j.cmd.Tty != nil {
		return nil
	}
	return j.io.term.master
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
	if j.helper.raw != nil {
		return sendBytes(j.control, []byte{byte(n)}, nil)
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
	keep := len(j.result.Violations) < maxViolations
	if keep {
		j.result.Violations = append(j.result.Violations, v)
	}
	j.mu.Unlock()
	if keep && j.cmd.Report != nil {
		j.cmd.Report(v)
	}
}

const maxViolations = 200
