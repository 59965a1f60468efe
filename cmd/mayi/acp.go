package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"mayi/internal/acp/facts"
	"mayi/internal/acp/proxy"
	"mayi/internal/acp/remote"
	"mayi/internal/assembly"
	"mayi/internal/mcp/child"
	"mayi/internal/mcp/frame"
	"mayi/internal/mcp/ledger"
	"mayi/pkg/approval"
	"mayi/pkg/config"
	"mayi/pkg/permissions"
)

// acpFlags say how the agent is stood before.
type acpFlags struct {
	name, tools string
	wait        time.Duration
}

func (c *command) acpCommand() *cobra.Command {
	var f acpFlags
	cmd := &cobra.Command{
		Use:   "acp [--name AGENT] -- AGENT [ARG]...",
		Short: "Stand between an editor and an agent that speaks ACP",
		Long: `Starts an agent that speaks the Agent Client Protocol and passes everything
between it and the editor, which speaks to mayi as if to the agent. What the agent
asks permission for is answered where the policy decides, and goes on to the editor
where a person has to; files and terminals that it asks the editor for are decided
before the editor hears of them; session modes above the ceiling (remote_max_mode,
maxExecutionMode) are neither offered nor settable.

The agent is a remote caller: it gets the mode remote_default_mode, or the one that
you choose in the editor, and at most remote_max_mode; its commands need
tools.exec.allow_remote.`,
		Example: `  mayi acp -- claude-code-acp
  mayi acp -- gemini --experimental-acp
  mayi acp --name codex -- npx -y @zed-industries/codex-acp`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return c.acp(cmd.Context(), f, args) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.name, "name", "", "the agent's name in rules, as in mcp(AGENT.execute) (default: from the command)")
	fl.StringVar(&f.tools, "tools", "", "whose names the agent's tools have: claude-code, codex, gemini, qwen or opencode (default: from the command)")
	fl.DurationVar(&f.wait, "wait", 50*time.Second, "how long a question waits for mayi approvals where the editor cannot ask")
	complete(cmd, "tools", tables()...)
	return cmd
}

// tables are the agents whose tools are known by name.
func tables() []string { return []string{"claude-code", "codex", "gemini", "qwen", "opencode"} }

func (c *command) acp(ctx context.Context, f acpFlags, argv []string) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	agent, err := f.agent(argv)
	if err != nil {
		return err
	}
	first, err := c.acpApp("", "", nil)
	if err != nil {
		return err
	}
	c.notices(first)
	cwd := first.Config.Cwd
	first.Close()
	env, _ := config.Environ() // it is the person's own program
	conn, err := child.Start(argv, "", env, c.err)
	if err != nil {
		return failure("is the agent installed, and is its name spelled right?", fmt.Errorf("the agent cannot be started: %w", err))
	}
	session := c.mcpSession()
	if session == "" {
		session = "acp-" + approval.NewID()
	}
	say := func(text string) { fmt.Fprintln(c.err, "mayi acp: "+approval.Line(text)) }
	err = proxy.Run(ctx, frame.NewLines(c.in, c.out, nil), conn, proxy.Options{
		Agent: agent, Session: session, Caller: "acp " + agent.Name, Cwd: cwd, Say: say,
		Open: func(cwd string, requested permissions.Mode) (proxy.Place, error) {
			return c.acpPlace(f, cwd, requested)
		},
	})
	if err != nil && ctx.Err() == nil {
		hint := ""
		if errors.Is(err, proxy.ErrAgentEnded) {
			hint = "what it printed above says why"
		}
		return failure(hint, err)
	}
	return nil
}

// agent is who makes the calls.
func (f acpFlags) agent(argv []string) (facts.Agent, error) {
	a := facts.Agent{Name: f.name, Table: f.tools}
	for _, word := range argv {
		base := filepath.Base(word)
		for _, table := range tables() {
			stem, _, _ := strings.Cut(table, "-")
			if a.Table == "" && strings.Contains(base, stem) {
				a.Table = table
			}
		}
	}
	if a.Name == "" {
		a.Name = a.Table
	}
	if a.Name == "" {
		a.Name = strings.NewReplacer(".", "-", "*", "-", "(", "-", ")", "-").Replace(filepath.Base(argv[0]))
	}
	switch {
	case strings.ContainsAny(a.Name, ".*()"):
		return a, usage("--name %q: a name in rules holds no dot, star or parenthesis", f.name)
	case f.tools != "" && !isTable(f.tools):
		return a, usage("--tools %q is not known; it is one of %s", f.tools, strings.Join(tables(), ", "))
	}
	return a, nil
}

func isTable(name string) bool {
	for _, t := range tables() {
		if t == name {
			return true
		}
	}
	return false
}

// acpApp opens the gate for a folder under a mode; "" for the one that mayi was
// started in, and for the settings' own. grants replaces the store's, nil for those.
func (c *command) acpApp(cwd string, mode permissions.Mode, grants func(session string) approval.Grants) (*assembly.App, error) {
	flags := c.flags.Flags
	if cwd != "" {
		flags.Cwd = cwd
	}
	if mode != "" {
		flags.Mode = string(mode)
	}
	at := *c
	at.flags.Flags = flags
	o, err := at.configOptions()
	if err != nil {
		return nil, err
	}
	app, err := assembly.Open(assembly.Options{Config: o, Env: config.ByName(environment()), Append: ledger.Append, Grants: grants})
	if err != nil {
		return nil, failure("", err)
	}
	return app, nil
}

// acpPlace is the gate for a session's folder, in the mode that a remote caller
// gets who asks for this one.
func (c *command) acpPlace(f acpFlags, cwd string, requested permissions.Mode) (proxy.Place, error) {
	app, ceiling, err := remote.Open(func(mode permissions.Mode) (*assembly.App, error) {
		return c.acpApp(cwd, mode, nil)
	}, permissions.Mode(c.flags.Mode), requested)
	if err != nil {
		return proxy.Place{}, err
	}
	return proxy.Place{Gate: app.Gate, Ceiling: ceiling, Queue: c.queue(app, f.wait, "an agent in your editor"), Close: app.Close}, nil
}
