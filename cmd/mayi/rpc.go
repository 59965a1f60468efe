package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"mayi/internal/assembly"
	"mayi/internal/confine"
	"mayi/internal/confine/connect"
	"mayi/internal/rpc"
	"mayi/pkg/agent"
	"mayi/pkg/agent/scripted"
	"mayi/pkg/approval"
	"mayi/pkg/config"
	"mayi/pkg/permissions"
	"mayi/pkg/tools"
)

func (c *command) rpcCommand() *cobra.Command {
	var wait time.Duration
	cmd := &cobra.Command{
		Use:   "rpc",
		Short: "Serve the gate to an agent in any language",
		Long: `Speaks JSON-RPC 2.0 over standard input and output, a message a line: open a
session, evaluate a call, ask the person about it, execute it with its output
streamed, cancel. docs/rpc.md has the methods with a transcript, and examples/rpc
a client in Python and in JavaScript.

The client is a remote caller: it gets the mode remote_default_mode, or what it
asks for up to remote_max_mode. What a person must decide waits for mayi approvals.`,
		Example: `  mayi rpc
  echo '{"jsonrpc":"2.0","id":1,"method":"session.open","params":{}}' | mayi rpc`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.rpc(cmd.Context(), wait) },
	}
	cmd.Flags().DurationVar(&wait, "wait", 5*time.Minute, "how long a question waits for mayi approvals")
	c.sandboxFlag(cmd)
	return cmd
}

func (c *command) rpc(ctx context.Context, wait time.Duration) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A client that does not close its end must not keep a stopped server.
	defer context.AfterFunc(ctx, func() { c.in.Close() })()
	env := environment()
	s := rpc.New(rpc.Options{
		Open: func(mode permissions.Mode, cwd string) (*assembly.App, error) {
			o, err := c.configOptions()
			if err != nil {
				return nil, err
			}
			if mode != "" {
				o.Mode = mode
			}
			if cwd != "" {
				o.Cwd = cwd
			}
			return assembly.Open(assembly.Options{Config: o, Env: config.ByName(env)})
		},
		Harness: permissions.Mode(c.flags.Mode), Env: env, Version: version,
		Queue:   func(app *assembly.App) approval.Asker { return c.queue(app, wait, "a client") },
		Sandbox: c.confinement,
		Run: func(ctx context.Context, j confine.Job) (int, error) {
			j.Proxy = connect.Proxy(j.Gate, j.Verdict)
			return confine.Run(ctx, j)
		},
		Tools: c.rpcTools(env),
	})
	if err := s.Serve(ctx, c.in, c.out); err != nil && ctx.Err() == nil {
		return failure("", err)
	}
	return nil
}

// rpcTools are the tools that are no commands, as an agent has them.
func (c *command) rpcTools(env []string) func(*assembly.App, string, approval.Asker) (rpc.Executor, error) {
	return func(app *assembly.App, session string, asker approval.Asker) (rpc.Executor, error) {
		sandbox, err := c.confinement(app)
		if err != nil {
			return nil, err
		}
		instance, err := agent.New(agent.Options{
			Settings: app.Settings, Gate: app.Gate, Session: session, Caller: "rpc", Remote: true,
			Cwd: app.Config.Cwd, Home: app.Config.Home, Env: env, Asker: asker,
			Model:   scripted.Model{}, // the client's model is the one that calls
			Confine: tools.Confiner(app.Gate, sandbox, asker),
		})
		if err != nil {
			return nil, err
		}
		return toolbox{instance}, nil
	}
}

// toolbox is an agent's tools without the agent.
type toolbox struct{ instance *agent.Instance }

func (t toolbox) Execute(ctx context.Context, name string, args map[string]any) (text string, failed bool) {
	r := t.instance.Tools.Execute(ctx, name, args)
	return r.ForLLM, r.IsError
}

func (t toolbox) Close() error { return t.instance.Close() }
