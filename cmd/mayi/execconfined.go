package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mayi/internal/confine"
	"mayi/internal/confine/connect"
	"mayi/internal/hook"
	"mayi/internal/hook/confined"
	"mayi/internal/runner"
	"mayi/pkg/approval"
	"mayi/pkg/config"
)

func (c *command) execConfinedCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "exec-confined TICKET [-- TEXT]",
		Short: "Run a command that a hook has decided about",
		Long: `Runs, confined, the command that a ticket is for. mayi hook puts this call in
place of an agent's command; a ticket is good for one run in one folder under
one policy, and for minutes. Nobody can make one by hand. TEXT is shown for
people and has to be the text of the ticket. Where the command is not run, the
exit code is 126.`,
		Hidden:  true,
		Example: "  mayi exec-confined TICKET -- 'make test'",
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			text := ""
			if len(args) == 2 {
				text = args[1]
			}
			return c.execConfined(cmd.Context(), args[0], text)
		},
	}
}

func (c *command) execConfined(ctx context.Context, name, text string) error {
	o, err := c.configOptions()
	if err != nil {
		return exit{confined.NotRun, err}
	}
	env := environment()
	code, err := confined.Run(ctx, confined.Options{
		Ticket: name, Text: text, StateDir: o.StateDir, Dir: o.Cwd,
		Open:    func(p hook.Place) (*hook.Door, error) { return c.door(p, config.ByName(env)) },
		Command: runner.Command{Env: env, Stdin: c.in, Stdout: c.out, Stderr: c.err, Terminal: term.IsTerminal(int(c.in.Fd()))},
		Job:     c.confinedJob,
	})
	if err != nil {
		return exit{code, err}
	}
	if code != 0 {
		return exit{code: code}
	}
	return nil
}

// confinedJob completes the job of an agent's command: what it reaches for is
// asked over the queue.
func (c *command) confinedJob(d *hook.Door, j *confine.Job) {
	j.Proxy = connect.Proxy(j.Gate, j.Verdict)
	if j.Command.Terminal && term.IsTerminal(int(c.out.Fd())) {
		j.Tty = c.in
	}
	if d.Questions != nil {
		j.Asker = approval.NewQueue(d.Questions, approval.QueueOptions{Wait: hook.Wait(hook.Limit("generic"))})
	}
	j.Say = func(text string) { fmt.Fprintln(c.err, c.style(c.err).Yellow("mayi:"), approval.Line(text)) }
}
