package tools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"mayi/pkg/gate"
	"mayi/pkg/permissions"
	"mayi/pkg/sandbox"
)

// Confined is a command line that is to be run inside what was granted.
type Confined struct {
	Command, Dir string
	// Args, where set, are run in place of Command: a shell with it.
	Args []string
	Env  []string
	// Stdin is the command's standard input; nil is an empty one.
	Stdin *os.File
	// Out gets standard output and standard error.
	Out io.Writer
	// Terminal: the command gets a terminal of its own, in place of Stdin and
	// Out; see Running.
	Terminal bool
	// Typed: what runs is held to the workspace whatever is typed into it, so that
	// it has to be confined whole or not at all.
	Typed bool
	// Say is told in plain words of what was refused while it ran.
	Say func(text string)
	// Started is told once the command runs.
	Started func(Running)
	// Since returns the effects of what was allowed to the running command since.
	Since func() []permissions.Effect
}

// Running is a confined command that runs. The zero Running is one that nothing
// is known of and that nothing can be done about.
type Running struct {
	// Leader is its program's process number, 0 where it cannot be found.
	Leader int
	// Master is its terminal, where it was to have one.
	Master *os.File
	// Signal sends its process group a signal; Kill ends it with all it started.
	Signal func(os.Signal) error
	Kill   func()
	// Whole: every level of confinement holds it.
	Whole bool
}

// heldJob is a process's confined side.
type heldJob struct {
	Running
	// cancel ends the job where it cannot be reached otherwise.
	cancel context.CancelFunc
}

func (h *heldJob) signal(sig syscall.Signal) {
	if sig == sigKill || h.Signal == nil {
		if h.Kill != nil {
			h.Kill()
		}
		h.cancel()
		return
	}
	_ = h.Signal(sig)
	if sig == sigTerm {
		// A stopped program hears SIGTERM only once it goes on.
		_ = h.Signal(sigCont)
	}
}

// errUnmet: the decision rests on the command being confined, and it cannot be.
var errUnmet = errors.New("it is allowed only confined, and nothing here can confine it")

// start runs the command, confined where the tool can.
func (t *ExecTool) start(ctx context.Context, v gate.Verdict, s processSpec) (*process, error) {
	if t.opt.Confine == nil {
		if t.opt.ConfineAll || len(v.Obligations) > 0 {
			return nil, errUnmet
		}
		return startProcess(s)
	}
	p, err := t.startConfined(ctx, v, s, s.input)
	if s.input && len(v.Obligations) == 0 && !t.opt.ConfineAll && errors.Is(err, sandbox.ErrNotEnforced) {
		p, err = t.startConfined(ctx, v, s, false) // as far as it goes
	}
	if !errors.Is(err, sandbox.ErrNotEnforced) || t.opt.ConfineAll {
		return p, err
	}
	t.unable.Store(true)
	if len(v.Obligations) > 0 {
		return nil, fmt.Errorf("%w: %w", errUnmet, err)
	}
	if p, err = startProcess(s); err == nil {
		p.say("this machine cannot confine the command, so it runs with the decision alone (mayi doctor)")
	}
	return p, err
}

// startConfined runs the command through [Options.Confine] and returns once it
// runs, or has ended.
func (t *ExecTool) startConfined(ctx context.Context, v gate.Verdict, s processSpec, typed bool) (*process, error) {
	p := &process{
		args: []string{s.shell, "--noprofile", "--norc", "-c", s.command},
		out:  newOutput(s.limit), done: make(chan struct{}), started: time.Now(),
	}
	c := Confined{
		Command: s.command, Args: p.args, Dir: s.dir, Env: append(s.env[:len(s.env):len(s.env)], "PWD="+s.dir),
		Out: p.out, Terminal: s.tty, Typed: typed, Say: p.say, Since: p.since,
	}
	if s.input && !s.tty {
		in, out, err := os.Pipe()
		if err != nil {
			return nil, fmt.Errorf("start: %w", err)
		}
		defer in.Close()
		c.Stdin, p.in = in, out
	}
	// The job outlives the call where it is a session's.
	run, cancel := context.WithCancel(context.WithoutCancel(ctx))
	unbind := context.AfterFunc(ctx, cancel)
	running, ended := make(chan Running, 1), make(chan ending, 1)
	c.Started = func(r Running) { running <- r }
	go func() {
		code, err := t.opt.Confine(run, v, c)
		ended <- ending{code, err}
	}()
	var r Running
	var e *ending
	select {
	case r = <-running:
	case now := <-ended:
		e = &now
		select {
		case r = <-running:
		default:
		}
	}
	unbind()
	if e != nil && e.err != nil {
		cancel()
		if p.in != nil {
			p.in.Close()
		}
		return nil, e.err
	}
	p.pid, p.held = r.Leader, &heldJob{r, cancel}
	collected := p.collect(r.Master)
	go p.follow(s.timeout, ended, e, collected)
	return p, nil
}

// ending is what a confined command came to.
type ending struct {
	code int
	err  error
}

// collect copies what is printed on the terminal; the channel is closed when
// that has ended. Without one the job itself writes to the output.
func (p *process) collect(master *os.File) <-chan struct{} {
	collected := make(chan struct{})
	// The job closes its own descriptor as it ends; what is still in the terminal
	// then is read from another.
	if f := another(master); f != nil {
		p.in, p.tty = f, f
		go func() {
			defer close(collected)
			_, _ = io.Copy(p.out, f)
		}()
		return collected
	}
	close(collected)
	return collected
}

// follow waits for the confined command's end.
func (p *process) follow(timeout time.Duration, ended <-chan ending, e *ending, collected <-chan struct{}) {
	if timeout > 0 {
		t := time.AfterFunc(timeout, func() { p.end(fmt.Sprintf("timed out after %s", timeout)) })
		defer t.Stop()
	}
	if e == nil {
		now := <-ended
		e = &now
	}
	p.held.cancel()
	select {
	case <-collected:
	case <-time.After(drainGrace):
	}
	if p.in != nil {
		p.in.Close()
	}
	<-collected
	switch {
	case e.err != nil:
		p.finish("failed: "+e.err.Error(), false)
	case e.code > 128 && e.code < 128+65:
		p.finish(fmt.Sprintf("exit code %d, as signal %d gives it", e.code, e.code-128), false)
	default:
		p.finish(fmt.Sprintf("exit code %d", e.code), e.code == 0)
	}
}
