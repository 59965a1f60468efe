package tools

import (
	"context"
	"os"

	"mayi/internal/confine"
	"mayi/internal/confine/connect"
	"mayi/internal/runner"
	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
	"mayi/pkg/sandbox"
)

// Confiner runs commands for [Options.Confine] inside what g decided; mode is
// the setting "sandbox", and what a running command reaches for is brought to the
// person through asker. nil for the mode "off": commands then run as they are.
func Confiner(g *gate.Gate, mode string, asker approval.Asker) func(context.Context, gate.Verdict, Confined) (int, error) {
	if mode == confine.Off {
		return nil
	}
	return func(ctx context.Context, v gate.Verdict, c Confined) (int, error) {
		j := confine.Job{
			Gate: g, Verdict: v, Mode: mode, Asker: asker, Proxy: connect.Proxy(g, v), Say: c.Say,
			Background: true, Args: c.Args, Since: c.Since,
			Command: runner.Command{Text: c.Command, Dir: c.Dir, Env: c.Env, Stdin: c.Stdin, Stdout: c.Out, Stderr: c.Out},
		}
		if c.Typed {
			// What will be typed is decided on the strength of this.
			j.Verdict.Obligations = []string{permissions.Confine}
		}
		if c.Terminal {
			j.Rows, j.Cols = terminalRows, terminalCols
		}
		if c.Started != nil {
			j.Started = func(job *sandbox.Job) {
				c.Started(Running{
					Leader: job.Leader(), Master: job.Master(), Signal: func(s os.Signal) error { return job.Signal(s) }, Kill: job.Kill,
					Whole: c.Typed,
				})
			}
		}
		return confine.Run(ctx, j)
	}
}

// The size of a session's terminal.
const (
	terminalRows = 40
	terminalCols = 120
)
