package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"mayi/internal/acp/remote"
	"mayi/internal/acp/serve"
	"mayi/internal/assembly"
	"mayi/pkg/agent/model"
	"mayi/pkg/approval"
	"mayi/pkg/permissions"
	"mayi/pkg/tools"
)

// acpQuestion is how long a question waits for mayi approvals where the editor
// cannot ask.
const acpQuestion = 50 * time.Second

// chatACP serves the agent to an editor.
func (c *command) chatACP(ctx context.Context, m model.Model, message string) error {
	if message != "" {
		return usage("with --acp the messages come from the editor")
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	first, err := c.acpApp("", "", nil)
	if err != nil {
		return err
	}
	c.notices(first)
	first.Close()
	err = serve.Run(ctx, c.in, c.out, serve.Options{
		Open: func(cwd string, requested permissions.Mode, grants func(string) approval.Grants) (*assembly.App, permissions.Mode, error) {
			return remote.Open(func(mode permissions.Mode) (*assembly.App, error) {
				return c.acpApp(cwd, mode, grants)
			}, permissions.Mode(c.flags.Mode), requested)
		},
		Confine: func(app *assembly.App, asker approval.Asker) (serve.Confine, error) {
			mode, err := c.confinement(app)
			return tools.Confiner(app.Gate, mode, asker), err
		},
		Queue: func(app *assembly.App) approval.Asker { return c.queue(app, acpQuestion, "the agent in your editor") },
		Model: m, Env: environment(), Session: c.mcpSession(), Version: version,
		Say: func(text string) { fmt.Fprintln(c.err, "mayi chat --acp: "+approval.Line(text)) },
	})
	if err != nil {
		return failure("", err)
	}
	return nil
}
