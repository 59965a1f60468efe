package tools

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"mayi/pkg/permissions"
	"mayi/pkg/workspace"
)

// jobVar marks the processes of one job in their environment, so that those
// that left the process group are found at the end, too.
const jobVar = "MAYI_JOB"

// Grace periods: how long a program has between SIGTERM and SIGKILL, and how
// long output that is still on its way is waited for after the end.
const (
	termGrace  = 2 * time.Second
	straggle   = 300 * time.Millisecond
	drainGrace = time.Second
)

// processSpec says what to start.
type processSpec struct {
	shell   string
	command string
	dir     string
	env     []string
	// tty gives the program a terminal, input a pipe to write to; with
	// neither its standard input is empty.
	tty, input bool
	limit      int
	// timeout ends the program, 0 never does.
	timeout time.Duration
}

// process is a running program with everything that it started. It is a
// session leader of its own: it has no controlling terminal but its own, so
// it cannot read or answer for the person, and its processes end with it.
type process struct {
	cmd     *exec.Cmd // nil where it is confined
	pid     int       // the program's number, 0 where it cannot be found
	args    []string  // what it was started with
	out     *output
	in      io.WriteCloser
	tty     *os.File
	job     string
	done    chan struct{}
	started time.Time
	held    *heldJob // nil where it is not confined

	mu     sync.Mutex
	why    string // why it was ended from outside, "" where it was not
	left   int    // processes that outlived the leader and were ended
	over   bool
	reaped bool   // the number may name another process from now on
	exit   string // how it ended
	well   bool
	atEnd  []func(status string)
	said   []string // what was refused while it ran, in plain words
	told   int      // how much of said a session's reader has seen
	opened []permissions.Effect
}

// startProcess starts the command line in a shell.
func startProcess(s processSpec) (*process, error) {
	dir, err := workspace.Open(s.dir, os.O_RDONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("working directory: %w", err)
	}
	defer dir.Close()
	p := &process{out: newOutput(s.limit), job: rand.Text(), done: make(chan struct{}), started: time.Now()}
	p.cmd = exec.Command(s.shell, "--noprofile", "--norc", "-c", s.command)
	p.cmd.Dir = dirName(dir, s.dir)
	p.cmd.Env = append(s.env[:len(s.env):len(s.env)], "PWD="+s.dir, jobVar+"="+p.job)
	output, err := p.connect(s)
	if err != nil {
		return nil, err
	}
	p.pid, p.args = p.cmd.Process.Pid, p.cmd.Args
	collected := make(chan struct{})
	go func() {
		defer close(collected)
		// A terminal whose program is gone reads as an error: both ends are
		// the end.
		_, _ = io.Copy(p.out, output)
	}()
	go p.watch(s.timeout, output, collected)
	return p, nil
}

// connect starts the program with its streams and returns what it prints.
func (p *process) connect(s processSpec) (*os.File, error) {
	if s.tty {
		f, err := startTerminal(p.cmd)
		if err != nil {
			return nil, fmt.Errorf("start with a terminal: %w", err)
		}
		p.in, p.tty = f, f
		return f, nil
	}
	p.cmd.SysProcAttr = leader()
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	defer w.Close()
	p.cmd.Stdout, p.cmd.Stderr = w, w
	var stdin *os.File
	if s.input {
		in, out, err := os.Pipe()
		if err != nil {
			r.Close()
			return nil, fmt.Errorf("start: %w", err)
		}
		stdin, p.in, p.cmd.Stdin = in, out, in
		defer stdin.Close()
	}
	if err := p.cmd.Start(); err != nil {
		r.Close()
		if p.in != nil {
			p.in.Close()
		}
		return nil, fmt.Errorf("start: %w", err)
	}
	return r, nil
}

// watch waits for the program, ends what it leaves behind, and closes done.
func (p *process) watch(timeout time.Duration, output *os.File, collected <-chan struct{}) {
	if timeout > 0 {
		t := time.AfterFunc(timeout, func() { p.end(fmt.Sprintf("timed out after %s", timeout)) })
		defer t.Stop()
	}
	// The leader stays a zombie until Wait, so that its number names no other
	// process while the rest of its group is looked for.
	awaitExit(p.pid)
	left := p.sweep(straggle)
	p.mu.Lock()
	p.reaped = true
	p.mu.Unlock()
	err := p.cmd.Wait()
	select {
	case <-collected:
	case <-time.After(drainGrace):
		// Something out of reach holds the stream open.
	}
	output.Close()
	if p.in != nil && p.tty == nil {
		p.in.Close()
	}
	<-collected
	p.mu.Lock()
	p.left = left
	p.mu.Unlock()
	p.finish(exitText(err, p.cmd.ProcessState))
}

// finish notes how the program ended, tells those who wait, and closes done.
func (p *process) finish(exit string, well bool) {
	p.mu.Lock()
	p.exit, p.well, p.over = exit, well, true
	status, _ := p.statusLocked()
	tell := p.atEnd
	p.mu.Unlock()
	for _, f := range tell {
		f(status)
	}
	close(p.done)
}

// onEnd calls f with the status once the program is over, before done closes.
func (p *process) onEnd(f func(status string)) {
	p.mu.Lock()
	over := p.over
	if !over {
		p.atEnd = append(p.atEnd, f)
	}
	status, _ := p.statusLocked()
	p.mu.Unlock()
	if over {
		f(status)
	}
}

// end stops the program and all that it started: SIGTERM, then SIGKILL. The
// first reason is kept. It does not wait; done says when it is over.
func (p *process) end(why string) {
	p.mu.Lock()
	first := p.why == "" && !p.over
	if first {
		p.why = why
	}
	p.mu.Unlock()
	if !first {
		return
	}
	if p.tty != nil {
		// An interactive shell takes no notice of SIGTERM.
		p.signal(sigHup)
	}
	p.signal(sigTerm)
	go func() {
		select {
		case <-p.done:
		case <-time.After(termGrace):
			p.signal(sigKill)
		}
	}()
}

func (p *process) signal(sig syscall.Signal) {
	if p.held != nil {
		p.held.signal(sig)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped {
		signalJob(p.pid, p.job, sig)
	}
}

// sweep ends what is left of the job and returns how many processes that were.
func (p *process) sweep(grace time.Duration) int {
	left := signalJob(p.pid, p.job, sigTerm)
	deadline := time.Now().Add(grace)
	for n := left; n > 0; {
		time.Sleep(5 * time.Millisecond)
		sig := sigNone
		if time.Now().After(deadline) {
			sig = sigKill
		}
		n = signalJob(p.pid, p.job, sig)
		if time.Now().After(deadline.Add(5 * time.Second)) {
			break // in the kernel, beyond the reach of signals
		}
	}
	return left
}

// running reports whether the program has not ended yet.
func (p *process) running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// status says how it stands with the program, in a few words, and whether it
// ended well.
func (p *process) status() (string, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.statusLocked()
}

func (p *process) statusLocked() (string, bool) {
	if !p.over {
		return "running", true
	}
	if p.why != "" {
		return p.why + "; " + p.exit, false
	}
	return p.exit, p.well
}

func exitText(err error, st *os.ProcessState) (string, bool) {
	var ee *exec.ExitError
	switch {
	case err == nil:
		return "exit code 0", true
	case errors.As(err, &ee) || st != nil:
		if name := signalName(st); name != "" {
			return "ended by signal " + name, false
		}
		return fmt.Sprintf("exit code %d", st.ExitCode()), false
	}
	return "failed: " + err.Error(), false
}
