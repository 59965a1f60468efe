//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"mayi/internal/confine"
	"mayi/internal/hook"
	"mayi/internal/hook/confined"
	"mayi/internal/hook/ticket"
	"mayi/internal/invoke"
	"mayi/internal/runner"
	"mayi/internal/ui"
	"mayi/pkg/approval"
	"mayi/pkg/config"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
	"mayi/pkg/sandbox"
)

// runTicket is "mayi exec-confined TICKET [-- TEXT]" for a command that was
// allowed as it stood and needs no connection.
func runTicket(ctx context.Context, args []string) (code int, done bool) {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") || len(args) != 1 && (len(args) != 3 || args[1] != "--") {
		return 0, false
	}
	ahead := sandbox.Prepare() // its start and the checks take place at the same time
	defer ahead.Release()
	o, err := config.FromEnviron()
	if err != nil {
		return 0, false
	}
	t, err := ticket.Find(o.StateDir+"/tickets", args[0], time.Now())
	if err != nil || !t.Begun || connects(t.Verdict.Call, permissions.Policy{}) {
		return 0, false
	}
	if len(t.Verdict.Obligations) > 0 {
		// What the person refused in the session is closed for it, and the engine
		// alone can read that.
		keep, known := light(t.Session)
		if keep(o.StateDir); !known() {
			return 0, false
		}
	}
	text := ""
	if len(args) == 3 {
		text = args[2]
	}
	list, _ := config.Environ()
	env := runner.ChildEnv(list)
	style := ui.For(os.Stderr, noColor())
	code, err = confined.Run(ctx, confined.Options{
		Ticket: args[0], Text: text, StateDir: o.StateDir, Dir: o.Cwd,
		Open:    func(p hook.Place) (*hook.Door, error) { return door(p, config.ByName(env)) },
		Command: runner.Command{Env: env, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Terminal: term.IsTerminal(0)},
		Job: func(_ *hook.Door, j *confine.Job) {
			j.Prepared = ahead
			if j.Command.Terminal && term.IsTerminal(1) {
				j.Tty = os.Stdin
			}
			reaching := invoke.Reaching{Config: place(t).Config(), Agent: true, Verdict: j.Verdict}
			j.Reach = func(ctx context.Context, a gate.Access) approval.Choice {
				r := reaching
				r.Access = a
				return reach(ctx, r)
			}
			j.Say = func(text string) { fmt.Fprintln(os.Stderr, style.Yellow("mayi:"), approval.Line(text)) }
		},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, style.Red("mayi: ")+err.Error())
	}
	return code, true
}

func place(t ticket.Ticket) hook.Place {
	return hook.Place{Cwd: t.Cwd, Root: t.Root, Workspace: t.Workspace, Session: t.Session, Override: t.Override}
}
