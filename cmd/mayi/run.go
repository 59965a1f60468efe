package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mayi/internal/assembly"
	"mayi/internal/confine"
	"mayi/internal/confine/connect"
	"mayi/internal/invoke"
	"mayi/internal/runner"
	"mayi/internal/wire"
	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
	"mayi/pkg/sandbox"
	"mayi/pkg/store"
)

func (c *command) runCommand() *cobra.Command {
	var wait time.Duration
	var noAsk bool
	cmd := &cobra.Command{
		Use:   "run COMMAND | run -- PROGRAM [ARGUMENT...]",
		Short: "Run a command line through the gate",
		Long: `Decides the command, asks you where a person must decide, and runs it.

One argument is a command line for bash; several are a program with its
arguments. What runs is held by the kernel to what was decided, as far as this machine can
(mayi doctor); what it reaches for beyond that is asked about while it waits.

The exit code is the command's own. Where it was not run: 20 for a
deny, 10 for a question that nobody was there to answer.

Variables that would make bash do something else than the command line says
(BASH_ENV, exported functions, …) are left out of its environment.

Answers hold for this terminal's session (or --session NAME): "once" for this
call, "session" for what the question named, "no" for the same question. "always"
writes a rule into your settings.`,
		Example: `  mayi run 'ls ~/Desktop'
  mayi run -- git push --dry-run
  mayi run --mode plan 'make deploy'
  mayi run --wait 2m 'cat /etc/hosts'     with no terminal: ask through mayi approvals`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.run(cmd.Context(), invoke.Line(args), wait, noAsk)
		},
	}
	cmd.Flags().DurationVar(&wait, "wait", 0, "without a terminal, wait this long for an answer through mayi approvals")
	c.sandboxFlag(cmd)
	cmd.Flags().BoolVar(&noAsk, "no-ask", false, "ask nobody: what would be asked is not run")
	return cmd
}

func (c *command) run(ctx context.Context, text string, wait time.Duration, noAsk bool) error {
	// Said before anybody is asked about what then cannot be run.
	if _, err := runner.Shell(); errors.Is(err, errors.ErrUnsupported) {
		return failure("mayi check and mayi explain work here", err)
	}
	app, err := c.app()
	if err != nil {
		return err
	}
	defer app.Close()
	c.notices(app)
	mode, err := c.confinement(app)
	if err != nil {
		return err
	}
	var ahead *sandbox.Prepared // its start and the decision take place at the same time
	if mode != confine.Off {
		ahead = sandbox.Prepare()
		defer ahead.Release()
	}
	var asker approval.Asker
	if !noAsk {
		asker = c.asker(app, wait)
	}
	r := c.shellRequest(app, "run", text)
	r.Confines = mode != confine.Off
	job := confine.Job{Gate: app.Gate, Mode: mode, Asker: asker, Prepared: ahead}
	err = c.attempt(ctx, app, r, job)
	if mode == confine.Auto && errors.Is(err, confine.ErrUnmet) {
		// What the kernel cannot hold here is the person's to say.
		r.Confines, job.Prepared = false, nil
		err = c.attempt(ctx, app, r, job)
	}
	return err
}

// attempt decides the call, asks where a person must decide, and runs it.
func (c *command) attempt(ctx context.Context, app *assembly.App, r gate.Request, job confine.Job) error {
	v := app.Gate.Decide(ctx, r)
	if v.Verdict == permissions.Ask && job.Asker != nil {
		if err := c.keepSession(ctx, app); err != nil {
			return failure("", err)
		}
		v, _, _ = app.Gate.Ask(ctx, v, job.Asker) // an error leaves a verdict that does not allow
	}
	if v.Verdict != permissions.Allow {
		app.Gate.Refuse(ctx, v)
		return c.notRun(v)
	}
	job.Verdict, job.Proxy = v, connect.Proxy(app.Gate, v)
	return c.execute(ctx, app, job)
}

// sessionLife is how long a session's answers hold after it was last asked
// something: a name or a terminal that comes back another day starts afresh.
const sessionLife = 24 * time.Hour

// keepSession makes the session one that ends, before something is answered in
// it, and forgets those that have.
func (c *command) keepSession(ctx context.Context, app *assembly.App) error {
	name := c.sessionName()
	if name == "" || app.Store == nil {
		return nil
	}
	now := time.Now()
	if err := app.Store.StartSession(ctx, store.Session{ID: name, Owner: app.Config.User, Started: now, Expires: now.Add(sessionLife)}); err != nil {
		return err
	}
	return app.Store.Prune(ctx, now.Add(-sessionLife))
}

// asker is the way to the person: the terminal, else the queue for as long as
// the caller is ready to wait.
func (c *command) asker(app *assembly.App, wait time.Duration) approval.Asker {
	askers := []approval.Asker{approval.LazyTerminal(approval.TerminalOptions{Color: c.style(c.err).Color, Dumb: dumb(), Who: app.Config.User})}
	if wait > 0 && app.Store != nil {
		askers = append(askers, approval.NewQueue(app.Store.Questions(), approval.QueueOptions{
			Wait: wait,
			Notify: func(q approval.Question) {
				fmt.Fprintf(c.err, "mayi: waiting for an answer (%s): mayi approvals\n", wait)
			},
		}))
	}
	return approval.First(askers...)
}

// notRun tells why, and what can be done.
func (c *command) notRun(v gate.Verdict) error {
	if c.flags.json {
		if err := c.print(ran{Decision: wire.FromVerdict("", v)}); err != nil {
			return err
		}
		return decided(v.Verdict)
	}
	text := "not run: " + approval.Line(v.Reason)
	hint := "mayi explain says more"
	if approval.Line(v.Text) == v.Text { // else it would steer the terminal
		hint = "mayi explain " + runner.Quote(v.Text)
	}
	switch {
	case v.Verdict == permissions.Ask:
		hint = "nobody could be asked; run it in a terminal, or with --wait 2m and answer with mayi approvals"
	case v.Answered != "":
		hint = ""
	case because(v, "settings"): // told above, with their places
		text, hint = "not run: the settings cannot be used until they are mended", "mayi doctor looks at them again"
	case because(v, "denied"):
		hint = "mayi grants lists what was answered, mayi grants revoke takes it back"
	}
	fmt.Fprintln(c.err, c.style(c.err).Red("mayi:"), text)
	if hint != "" {
		fmt.Fprintln(c.err, "  hint: "+hint)
	}
	return decided(v.Verdict)
}

// because reports whether code is among what blocks the call.
func because(v gate.Verdict, code string) bool {
	return slices.ContainsFunc(v.Reasons, func(r permissions.Reason) bool {
		return r.Verdict == permissions.Deny && r.Code == code
	})
}

// ran is what run --json prints.
type ran struct {
	wire.Decision
	Exit   *int   `json:"exit,omitempty"`
	Stdout string `json:"stdout,omitempty"`
	Stderr string `json:"stderr,omitempty"`
}

// execute runs the job with this process's streams.
func (c *command) execute(ctx context.Context, app *assembly.App, job confine.Job) error {
	v := job.Verdict
	begin := app.Gate.Begin
	if job.Mode != confine.Off {
		begin = app.Gate.BeginConfined
	}
	end, err := begin(ctx, v)
	if err != nil {
		return failure("", err)
	}
	job.Command = runner.Command{
		Text: v.Text, Dir: app.Config.Cwd, Env: environment(),
		Stdin: c.in, Stdout: c.out, Stderr: c.err,
		Terminal: term.IsTerminal(int(c.in.Fd())),
	}
	job.Say = func(text string) { fmt.Fprintln(c.err, c.style(c.err).Yellow("mayi:"), approval.Line(text)) }
	if !c.flags.json {
		if job.Command.Terminal && term.IsTerminal(int(c.out.Fd())) {
			job.Tty = c.in
		}
		code, err := confine.Run(ctx, job)
		return c.ended(code, err, end)
	}
	var stdout, stderr bytes.Buffer
	job.Command.Stdout, job.Command.Stderr, job.Command.Terminal = &stdout, &stderr, false
	code, err := confine.Run(ctx, job)
	if err == nil {
		err = c.print(ran{Decision: wire.FromVerdict("", v), Exit: &code, Stdout: stdout.String(), Stderr: stderr.String()})
	}
	return c.ended(code, err, end)
}

func (c *command) ended(code int, err error, end func(string)) error {
	if err != nil {
		end("failed: " + err.Error())
		return exit{code, err}
	}
	end(fmt.Sprintf("exit %d", code))
	if code == 0 {
		return nil
	}
	return exit{code: code}
}
