package main

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mayi/internal/assembly"
	"mayi/internal/hook"
	"mayi/pkg/config"
	"mayi/pkg/store"
)

func (c *command) hookCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hook " + strings.Join(hook.Names(), "|"),
		Short: "Answer the hook of a coding agent",
		Long: `Reads the tool call that an agent is about to make from standard input and
answers in that agent's own words. It is called by the agent; mayi install sets
it up. Whatever goes wrong is answered with a deny.

What a person must decide is asked by the agent where it asks by itself, else it
waits for mayi approvals, for a little less time than the agent waits.

generic is for agents that have no translator: one request as mayi check --jsonl
reads it ({"id","tool","input","workspace","cwd","settings"}), one decision as it
prints it; the exit code is 0 for allow and 20 for deny.`,
		Example: `  mayi hook claude-code < call.json
  echo '{"tool":"bash","input":{"command":"ls"},"cwd":"'"$PWD"'"}' | mayi hook generic`,
		Args:      cobra.ExactArgs(1),
		ValidArgs: hook.Names(),
		RunE:      func(cmd *cobra.Command, args []string) error { return c.hook(cmd.Context(), args[0]) },
	}
	return cmd
}

func (c *command) hook(ctx context.Context, name string) error {
	_, env := config.Environ()
	self, _ := os.Executable() // without it commands are left as they are
	cwd, _ := os.Getwd()
	childEnv := config.ByName(environment())
	code, err := hook.Run(ctx, hook.Options{
		Name: name, Stdin: c.in, Stdout: c.out, Stderr: c.err, Env: env, Cwd: cwd, Self: self,
		Notify: hook.Desktop(env), Alone: hook.Alone, Exit: os.Exit,
		Open: func(p hook.Place) (*hook.Door, error) { return c.door(p, childEnv) },
	})
	switch {
	case errors.Is(err, hook.ErrUnknown):
		return usage("%v; known are %s", err, strings.Join(hook.Names(), ", "))
	case err != nil:
		return exit{max(code, exitUsage), err} // a code that blocks, for most agents
	case code != 0:
		return exit{code: code}
	}
	return nil
}

// door opens the gate for one call of an agent, with the store behind it.
func (c *command) door(p hook.Place, env map[string]string) (*hook.Door, error) {
	app, err := assembly.Open(assembly.Options{Config: p.Config(), Env: env})
	if err != nil {
		return nil, err
	}
	return doorOf(app), nil
}

// doorOf is the gate for one call, with the store behind it.
func doorOf(app *assembly.App) *hook.Door {
	d := &hook.Door{Gate: app.Gate, Close: app.Close}
	if app.Store != nil {
		d.Questions = app.Store.Questions()
		d.Keep = func(ctx context.Context, name string) error { return keep(ctx, app, name) }
	}
	return d
}

// keep makes a session one that ends, before something is answered in it, and
// forgets those that have.
func keep(ctx context.Context, app *assembly.App, name string) error {
	now := time.Now()
	if err := app.Store.StartSession(ctx, store.Session{ID: name, Owner: app.Config.User, Started: now, Expires: now.Add(sessionLife)}); err != nil {
		return err
	}
	return app.Store.Prune(ctx, now.Add(-sessionLife))
}
