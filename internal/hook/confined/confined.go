// Package confined runs a command that a hook has decided about: the agent was
// given "mayi exec-confined TICKET -- TEXT" in place of the command. It decides
// nothing again and checks that nothing has changed: the ticket, the text, the
// folder, the policy.
package confined

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"mayi/internal/confine"
	"mayi/internal/hook"
	"mayi/internal/hook/ticket"
	"mayi/internal/record"
	"mayi/internal/runner"
	"mayi/pkg/gate"
	"mayi/pkg/journal"
	"mayi/pkg/workspace"
)

// NotRun is the exit code where the command was not run.
const NotRun = 126

// Options say what to run and with what.
type Options struct {
	// Ticket is its name; Text is what was shown behind "--", "" where nothing
	// was.
	Ticket, Text string
	// StateDir is mayi's state folder, Dir the working directory of this process.
	StateDir, Dir string
	// Open opens the gate as the hook did.
	Open func(hook.Place) (*hook.Door, error)
	// Command has the environment and the streams; its text and folder are
	// filled in here.
	Command runner.Command
	// Job completes the job: how what it reaches for is decided, the proxy, what
	// the person is told. nil leaves it as it is.
	Job func(d *hook.Door, j *confine.Job)
	// Now is the clock, nil for time.Now.
	Now func() time.Time
}

// Run runs the command and returns its exit code. An error means that it was
// not run, with [NotRun] or the code of a command that could not be started;
// where it is [hook.ErrNeedsStore], nothing was used up and a process with a
// store can run it.
func Run(ctx context.Context, o Options) (int, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.StateDir == "" {
		return NotRun, errors.New("there is no state folder to find the ticket in; set HOME or XDG_STATE_HOME")
	}
	dir := filepath.Join(o.StateDir, "tickets")
	t, err := ticket.Find(dir, o.Ticket, o.Now())
	if err != nil {
		return NotRun, fmt.Errorf("the command is not run: %w", err)
	}
	if err := o.unchanged(t); err != nil {
		return NotRun, err
	}
	d, err := o.Open(hook.Place{Cwd: t.Cwd, Root: t.Root, Workspace: t.Workspace, Session: t.Session, Override: t.Override})
	if err != nil {
		return NotRun, fmt.Errorf("the command is not run: %w", err)
	}
	if d.Close != nil {
		defer d.Close()
	}
	if d.Gate.Settings().Version() != t.Policy {
		return NotRun, errors.New("the command is not run: the settings changed since it was decided; call it again")
	}
	if !t.Begun && d.Absent != nil {
		return NotRun, hook.ErrNeedsStore
	}
	defer ticket.Sweep(dir, time.Now()) // by the files' own times
	claimed, err := ticket.Claim(dir, o.Ticket, o.Now())
	switch {
	case errors.Is(err, ticket.ErrReadOnly) && t.Begun && d.Gate.Settings().Sandbox != confine.Required:
		// The agent runs its commands in a sandbox of its own, from which nothing
		// can be used up. The ticket still ends by itself, and runs this text only.
		// What was allowed on the condition that mayi confines it runs so or not.
		return o.run(ctx, d, t, true)
	case err != nil:
		return NotRun, fmt.Errorf("the command is not run: %w", err)
	}
	return o.run(ctx, d, claimed, false)
}

// unchanged compares what is called with what was decided.
func (o Options) unchanged(t ticket.Ticket) error {
	if o.Text != "" && o.Text != t.Text {
		return errors.New("the command is not run: its text is not the one that was decided")
	}
	here, err := workspace.Canonical(o.Dir)
	if err != nil || here != t.Dir {
		return fmt.Errorf("the command is not run: it was decided for the folder %s", t.Dir)
	}
	return nil
}

// run runs the command of the ticket. Within another sandbox, where ours cannot
// be set up, that one has to do.
func (o Options) run(ctx context.Context, d *hook.Door, t ticket.Ticket, within bool) (int, error) {
	if !t.Begun {
		number, err := d.Gate.BeginApart(ctx, t.Verdict)
		if err != nil {
			return NotRun, fmt.Errorf("the command is not run: %w", err)
		}
		t.Number = number
	}
	end := func(outcome string) { d.Gate.End(context.WithoutCancel(ctx), t.Verdict, t.Number, outcome) }
	if record.Changes(t.Verdict.Call) {
		if err := journal.At(filepath.Join(o.StateDir, "mayi.db")).Settle(ctx, t.Number); err != nil {
			end("failed: " + err.Error())
			return NotRun, fmt.Errorf("the command is not run because its record may be lost: %w", err)
		}
	}
	command := o.Command
	command.Text, command.Dir = t.Text, t.Dir
	command.Env = searched(command.Env, t, d.Gate.Settings().Policy().Workspace)
	j := confine.Job{Gate: d.Gate, Verdict: t.Verdict, Mode: mode(d, t.Verdict), Command: command}
	if o.Job != nil {
		o.Job(d, &j)
	}
	code, err := confine.Run(ctx, j)
	switch {
	case err == nil || code != 125 || !within:
	case len(t.Verdict.Obligations) > 0:
		err = fmt.Errorf("%w; within the agent's own sandbox mayi may not be able to set up its own: call the command without that, or allow it as it is in permissions.allow", err)
	default:
		if j.Say != nil {
			j.Say("the command runs in the agent's sandbox alone: " + err.Error())
		}
		j.Mode = confine.Off
		code, err = confine.Run(ctx, j)
	}
	if err != nil {
		end("failed: " + err.Error())
		if code == 125 {
			code = NotRun
		}
		return code, err
	}
	end(fmt.Sprintf("exit %d", code))
	return code, nil
}

// mode is how strictly the command is confined: what was allowed on that
// condition does not run without it.
func mode(d *hook.Door, v gate.Verdict) string {
	if len(v.Obligations) > 0 {
		return confine.Required
	}
	return d.Gate.Settings().Sandbox
}
