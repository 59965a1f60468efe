// Package mayi is the gate between an AI agent and the machine it works on,
// for agents written in Go.
//
// A [Gate] decides what one tool call would really do and whether it may:
// allow, ask a person, or deny. An agent that runs its own tools calls
// [Gate.BeforeTool] before each of them and does what it says:
//
//	helper := mayi.Main() // first in main, so that Run can confine
//	gate, err := mayi.Open(mayi.Options{Ask: ask, Helper: helper})
//	…
//	end, err := gate.BeforeTool(ctx, mayi.Call{Tool: "write", Input: args})
//	if err != nil {
//		return err // refused; the text says why and what would help
//	}
//	end(outcome(run(args)))
//
// [Gate.Run] decides a command line and runs it, held by the kernel to what was
// decided; see [Main].
//
// Settings come from the same files as those of the mayi command, so that one
// policy serves every agent on the machine.
package mayi

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"mayi/internal/assembly"
	"mayi/pkg/approval"
	"mayi/pkg/config"
	"mayi/pkg/effects"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
	"mayi/pkg/tools"
)

// ID, Name and Description are how the gate names itself where it is plugged
// into an agent.
const (
	ID          = "permissions"
	Name        = "mayi"
	Description = "Decides every tool call (allow, ask, deny), asks a person where one must decide, and keeps a record."
)

// The verdicts of a [Decision]. The zero value is Deny.
const (
	Deny  = permissions.Deny
	Ask   = permissions.Ask
	Allow = permissions.Allow
)

// Decision is a verdict with everything that led to it.
type Decision = permissions.Decision

// Question and Answer are what goes to a person and comes back; a Choice is
// "once", "session", "always" or "no", and every other word is a no.
type (
	Question = approval.Question
	Answer   = approval.Answer
	Choice   = approval.Choice
)

// ErrRefused is wrapped by every error that means: the call must not run.
var ErrRefused = errors.New("refused")

// Describe is the question in plain words: what would happen, the whole command,
// the paths, the risk. What an agent wrote in it is made visible, so that it
// cannot steer a terminal or pass for a line of the question.
func Describe(q Question) string { return approval.Describe(q, q.Asked) }

// Options say how a gate is opened. The zero value uses the person's own
// settings, the workspace around the working directory, and asks nobody.
type Options struct {
	// Workspace is the workspace's root; "" is found from Cwd upwards.
	Workspace string
	// Cwd is the working directory of calls; "" is the process's.
	Cwd string
	// Settings is the session's settings as JSON, over those of all files.
	Settings string
	// NoUserSettings leaves the person's own settings file out; an
	// administrator's still counts.
	NoUserSettings bool
	// Session separates grants from those of other sessions; "" is a new one.
	Session string
	// Caller names the program in the record.
	Caller string
	// StateDir is where grants and the record are kept; "" is the person's own
	// (XDG_STATE_HOME).
	StateDir string
	// Helper is what [Main] returned. Without it [Gate.Run] cannot confine what it
	// runs.
	Helper Helper
	// Say is told in plain words what a running command was refused, and where it
	// could not be confined; nil is the command's standard error.
	Say func(text string)
	// Ask brings a question to the person. It may block; an error, a panic, every
	// answer but once, session or always, and one that does not say who gave it
	// (By) is a no. nil refuses what would be asked. It must never be answered
	// by a model.
	Ask func(ctx context.Context, q Question) (Answer, error)
}

// Call is one tool call.
type Call struct {
	// Tool is a built-in tool ("bash", "read", "write", "edit", "grep", "find",
	// "ls", "web_fetch", …). A tool of the agent's own has any other name.
	Tool string
	// Server is the MCP server that the tool comes from, "" for none.
	Server string
	Input  map[string]any
	// Cwd is the call's working directory; "" is the gate's.
	Cwd string
	// Remote: the one who speaks to the agent is a remote caller.
	Remote bool
}

// Command is the call of the built-in shell with a command line.
func Command(line string) Call {
	return Call{Tool: "bash", Input: map[string]any{"command": line}}
}

// Gate decides calls. Safe for concurrent use.
type Gate struct {
	app   *assembly.App
	opts  Options
	asker approval.Asker
	env   []string
}

// Open opens a gate. Broken settings are no error: under them nothing that
// would run is allowed, and every decision says what to mend.
func Open(o Options) (*Gate, error) {
	c, err := config.FromEnviron()
	if err != nil {
		return nil, fmt.Errorf("mayi: %w", err)
	}
	for _, dir := range []struct {
		to   *string
		from string
	}{{&c.Cwd, o.Cwd}, {&c.Workspace, o.Workspace}, {&c.StateDir, o.StateDir}} {
		if dir.from == "" {
			continue
		}
		if *dir.to, err = filepath.Abs(dir.from); err != nil {
			return nil, fmt.Errorf("mayi: %w", err)
		}
	}
	if o.Settings != "" {
		c.Override = []byte(o.Settings)
	}
	if o.NoUserSettings {
		c.UserFile, c.NoUser = "", true
	}
	if o.Session == "" {
		o.Session = "library-" + approval.NewID()
	}
	if o.Caller == "" {
		o.Caller = "library"
	}
	list, _ := config.Environ()
	list = tools.ChildEnv(list) // what Run's commands run in is what the gate knows
	app, err := assembly.Open(assembly.Options{Config: c, Env: config.ByName(list)})
	if err != nil {
		return nil, fmt.Errorf("mayi: %w", err)
	}
	g := &Gate{app: app, opts: o, env: list}
	if o.Ask != nil {
		g.asker = approval.NewLimits(approval.AskerFunc(o.Ask), approval.LimitOptions{})
	}
	return g, nil
}

// Close gives back what the gate holds.
func (g *Gate) Close() error { return g.app.Close() }

// Session is the session whose grants count.
func (g *Gate) Session() string { return g.opts.Session }

func (g *Gate) request(c Call) gate.Request {
	return gate.Request{
		Session: g.opts.Session, Caller: g.opts.Caller, Remote: c.Remote, Cwd: c.Cwd, Input: c.Input,
		Tool: permissions.Tool{Name: c.Tool, Server: c.Server, Builtin: c.Server == "" && effects.IsBuiltin(c.Tool)},
	}
}

// Decide decides the call and asks nobody: what would be asked comes back as
// Ask. It never fails; whatever goes wrong is a Deny.
func (g *Gate) Decide(ctx context.Context, c Call) Decision {
	return g.app.Gate.Decide(ctx, g.request(c)).Decision
}

// Check decides the call and asks the person where one must decide. It does
// not use the permission up: [Gate.BeforeTool] and [Gate.Run] do.
func (g *Gate) Check(ctx context.Context, c Call) Decision { return g.check(ctx, c).Decision }

func (g *Gate) check(ctx context.Context, c Call) gate.Verdict { return g.decide(ctx, g.request(c)) }

func (g *Gate) decide(ctx context.Context, r gate.Request) gate.Verdict {
	v := g.app.Gate.Decide(ctx, r)
	if v.Verdict == Ask && g.asker != nil {
		v, _, _ = g.app.Gate.Ask(ctx, v, g.asker) // an error is a refused verdict
	}
	return v
}
