package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"mayi/internal/assembly"
	"mayi/internal/explain"
	"mayi/internal/invoke"
	"mayi/internal/wire"
	"mayi/pkg/approval"
	"mayi/pkg/config"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

func (c *command) checkCommand() *cobra.Command {
	var jsonl, confined bool
	var tool, input string
	cmd := &cobra.Command{
		Use:   "check [COMMAND]",
		Short: "Decide a call without running it or asking anybody",
		Long: `Decides one command line, one call of another tool, or with --jsonl one request
a line from standard input:

  {"id","tool","input","workspace","cwd","settings"}

tool is bash, read, write, edit, grep, find, ls, web_fetch, … or mcp:SERVER with
input {"name","arguments"}. settings is the session's override. The answer is
one decision a line, in the same order.

With --confined the calls are decided as for somebody who runs them confined, as
mayi run and mayi chat do: what the kernel can hold to the workspace is then not
asked about, and "obligations" says that the answer holds only so.

Exit codes: 0 allow, 10 ask, 20 deny, 1 error, 2 bad usage. With --jsonl: 0 when
every line was a readable request, else 1.`,
		Example: `  mayi check 'git status'
  mayi check --tool write --input '{"file_path":"/etc/hosts","content":""}'
  echo '{"id":"1","tool":"bash","input":{"command":"ls /"}}' | mayi check --jsonl`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case jsonl && (len(args) > 0 || tool != "" || input != ""):
				return usage("--jsonl reads its requests from standard input and goes with no other request")
			case jsonl:
				return c.checkLines(cmd.Context(), confined)
			}
			return c.checkOne(cmd.Context(), tool, input, args, confined)
		},
	}
	cmd.Flags().BoolVar(&jsonl, "jsonl", false, "decide one JSON request a line from standard input")
	cmd.Flags().BoolVar(&confined, "confined", false, "decide for somebody who runs what is allowed confined")
	cmd.Flags().StringVar(&tool, "tool", "", "decide a call of this tool instead of a command line")
	cmd.Flags().StringVar(&input, "input", "", "the tool's input, as JSON")
	return cmd
}

func (c *command) checkOne(ctx context.Context, tool, input string, args []string, confined bool) error {
	app, err := c.app()
	if err != nil {
		return err
	}
	defer app.Close()
	r, err := c.request(app, "check", tool, input, args)
	if err != nil {
		return err
	}
	r.Confines = confined
	v := app.Gate.Decide(ctx, r)
	if c.flags.json {
		if err := c.print(wire.FromVerdict("", v)); err != nil {
			return err
		}
		return decided(v.Verdict)
	}
	c.notices(app)
	fmt.Fprintf(c.out, "%s: %s\n", c.style(c.out).Verdict(v.Verdict), approval.Visible(v.Reason))
	for _, o := range v.Obligations {
		fmt.Fprintln(c.out, "  on condition: "+explain.Obligation(o))
	}
	return decided(v.Verdict)
}

// request is the call that the arguments describe.
func (c *command) request(app *assembly.App, caller, tool, input string, args []string) (gate.Request, error) {
	if tool == "" && input == "" {
		if len(args) == 0 {
			return gate.Request{}, usage("there is nothing to decide: give a command line, or --tool with --input")
		}
		return c.shellRequest(app, caller, invoke.Line(args)), nil
	}
	if len(args) > 0 {
		return gate.Request{}, usage("a command line and --tool do not go together")
	}
	if tool == "" {
		return gate.Request{}, usage("--input needs --tool")
	}
	in := map[string]any{}
	if input != "" {
		if err := json.Unmarshal([]byte(input), &in); err != nil {
			return gate.Request{}, usage("--input is not a JSON object: %v", err)
		}
	}
	t, err := wire.ToolOf(tool, in)
	if err != nil {
		return gate.Request{}, exit{exitUsage, err}
	}
	return gate.Request{Session: c.sessionName(), Caller: caller, Cwd: app.Config.Cwd, Tool: t, Input: in}, nil
}

// checkLines answers every line, in order. A line that cannot be read is
// answered with a deny.
func (c *command) checkLines(ctx context.Context, confined bool) error {
	in := bufio.NewReaderSize(c.in, 64<<10)
	out := bufio.NewWriter(c.out)
	defer out.Flush()
	gates := &gateCache{c: c, confined: confined, apps: map[string]*assembly.App{}}
	defer gates.close()
	unreadable := false
	for {
		line, err := readLine(in)
		if err != nil && !errors.Is(err, io.EOF) {
			return failure("", err)
		}
		if len(line) > 0 {
			d, ok := gates.answer(ctx, line)
			unreadable = unreadable || !ok
			answer, err := wire.Line(d)
			if err == nil {
				_, err = out.Write(answer)
			}
			if err != nil {
				return failure("", err)
			}
			// An answer is there as soon as it is made: the other side may be
			// waiting for it before it sends the next request.
			if in.Buffered() == 0 {
				if err := out.Flush(); err != nil {
					return failure("", err)
				}
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
	}
	if unreadable {
		return exit{code: exitError}
	}
	return nil
}

// readLine returns the next line without its end, at most a little more than
// the largest request; the rest of a longer one is passed over.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(line) <= wire.MaxRequest {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		for len(line) > 0 && (line[len(line)-1] == '\n' || line[len(line)-1] == '\r' || line[len(line)-1] == ' ') {
			line = line[:len(line)-1]
		}
		return line, err
	}
}

// gateCache keeps a gate for each workspace and override that requests name.
type gateCache struct {
	c        *command
	confined bool
	apps     map[string]*assembly.App
}

const maxGates = 256

func (g *gateCache) answer(ctx context.Context, line []byte) (wire.Decision, bool) {
	r, err := wire.ParseRequest(line)
	if err != nil {
		return denied(r.ID, err), false
	}
	app, err := g.app(r)
	if err != nil {
		return denied(r.ID, err), false
	}
	tool, err := wire.ToolOf(r.Tool, r.Input)
	if err != nil {
		return denied(r.ID, err), false
	}
	session := r.Session
	if session == "" {
		session = g.c.flags.Session
	}
	v := app.Gate.Decide(ctx, gate.Request{Session: session, Caller: "check", Tool: tool, Input: r.Input, Cwd: r.Cwd, Confines: g.confined})
	return wire.FromVerdict(r.ID, v), true
}

func denied(id string, err error) wire.Decision {
	return wire.FromVerdict(id, gate.Verdict{Decision: permissions.Decision{Reason: err.Error(), Risk: permissions.RiskHigh}})
}

func (g *gateCache) app(r wire.Request) (*assembly.App, error) {
	key := r.Workspace + "\x00" + r.Cwd + "\x00" + string(r.Settings)
	if app, ok := g.apps[key]; ok {
		return app, nil
	}
	o, err := g.c.configOptions()
	if err != nil {
		return nil, err
	}
	if r.Cwd != "" {
		o.Cwd = r.Cwd
	} else if r.Workspace != "" {
		o.Cwd = r.Workspace
	}
	if r.Workspace != "" {
		o.Workspace = r.Workspace
	}
	if len(r.Settings) > 0 && string(r.Settings) != "null" {
		o.Override, o.OverrideName, o.Mode = r.Settings, "", ""
	}
	app, err := assembly.Open(assembly.Options{Config: o, Env: config.ByName(environment()), NoRecord: true})
	if err != nil {
		return nil, err
	}
	if len(g.apps) >= maxGates {
		g.close()
	}
	g.apps[key] = app
	return app, nil
}

func (g *gateCache) close() {
	for key, app := range g.apps {
		_ = app.Close()
		delete(g.apps, key)
	}
}
