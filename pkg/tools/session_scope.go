package tools

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
	"mayi/pkg/workspace"
)

// Gatekeeper decides calls. gate.Gate is the real one.
type Gatekeeper interface {
	// Decide decides and never asks.
	Decide(ctx context.Context, r gate.Request) gate.Verdict
	// Ask brings v to the person, remembers the answer and decides again.
	Ask(ctx context.Context, v gate.Verdict, asker approval.Asker) (gate.Verdict, approval.Answer, error)
	// Begin claims the once-grants that v rests on and writes the record. An
	// error means: do not run.
	Begin(ctx context.Context, v gate.Verdict) (end func(outcome string), err error)
	// BeginConfined is Begin for a call that is run confined or not at all.
	BeginConfined(ctx context.Context, v gate.Verdict) (end func(outcome string), err error)
}

// SessionOptions describe an agent session to its tools.
type SessionOptions struct {
	// Gate decides every call. Without one every call is refused.
	Gate Gatekeeper
	// ID separates this session's grants and processes from all others.
	ID string
	// Caller says who asks, for the record: "chat", "run".
	Caller string
	// Remote: the caller is a gateway, RPC or MCP client.
	Remote bool
	// Cwd is the absolute working directory that relative paths start from.
	Cwd string
	// Home expands a leading ~ in the file tools' paths; "" expands nothing.
	Home string
	// Env is the environment for programs, as "NAME=value".
	Env []string
	// Asker reaches the person; nil where questions are answered through
	// [RequestPermissionTool.Answer].
	Asker approval.Asker
}

// Session is what the tools of one agent session share. Safe for concurrent
// use.
type Session struct {
	opt      SessionOptions
	refusals refusals
}

// NewSession returns the shared state for one agent session's tools.
func NewSession(o SessionOptions) *Session {
	// Programs see the directory by its one real name, so calls are decided
	// under that name, too.
	if real, err := workspace.Canonical(o.Cwd); err == nil {
		o.Cwd = real
	}
	return &Session{opt: o}
}

// Cwd is the session's working directory.
func (s *Session) Cwd() string { return s.opt.Cwd }

func (s *Session) request(t permissions.Tool, input map[string]any, cwd string) gate.Request {
	return gate.Request{
		Session: s.opt.ID, Caller: s.opt.Caller, Remote: s.opt.Remote,
		Tool: t, Input: input, Cwd: cwd,
	}
}

// decide is the gate's decision; without a gate it is the zero decision.
func (s *Session) decide(ctx context.Context, r gate.Request) gate.Verdict {
	if s == nil || s.opt.Gate == nil {
		return gate.Verdict{Request: r, Decision: permissions.Decision{Reason: "no gate is set up to decide calls"}}
	}
	return s.opt.Gate.Decide(ctx, r)
}

// guard takes one call through the gate: decide, ask where a person can be
// reached, begin, run, end. run gets the verdict that allowed it and returns
// the result and one phrase for the record.
func (s *Session) guard(ctx context.Context, r gate.Request, run func(context.Context, gate.Verdict) (*ToolResult, string)) *ToolResult {
	v := s.decide(ctx, r)
	if v.Verdict == permissions.Ask && s.opt.Asker != nil {
		var res *ToolResult
		if v, res = s.ask(ctx, v); res != nil {
			return res
		}
	}
	if v.Verdict != permissions.Allow {
		return s.refuse(ctx, v)
	}
	end, res := s.begin(ctx, v, false)
	if res != nil {
		return res
	}
	outcome := "failed: the tool broke off"
	defer func() { end(outcome) }()
	out, note := run(ctx, v)
	outcome = note
	if out.Verdict == nil {
		out.Verdict = &v
	}
	return out
}

// ask brings v to the person; a result means that the call ends here.
func (s *Session) ask(ctx context.Context, v gate.Verdict) (gate.Verdict, *ToolResult) {
	after, ans, err := s.opt.Gate.Ask(ctx, v, s.opt.Asker)
	if err != nil {
		return after, refusedResult(v, fmt.Sprintf("permission was not given: %v", err))
	}
	if after.Verdict != permissions.Allow {
		return after, s.refuseAnswered(after, ans)
	}
	return after, nil
}

// note leaves a refusal in the record, where the gate keeps one.
func (s *Session) note(ctx context.Context, v gate.Verdict) {
	if g, ok := s.opt.Gate.(interface {
		Refuse(context.Context, gate.Verdict)
	}); ok {
		g.Refuse(ctx, v)
	}
}

// begin lets an allowed call run; confined: it is run confined or not at all.
func (s *Session) begin(ctx context.Context, v gate.Verdict, confined bool) (func(string), *ToolResult) {
	begin := s.opt.Gate.Begin
	if confined {
		begin = s.opt.Gate.BeginConfined
	}
	end, err := begin(ctx, v)
	if err != nil {
		return nil, refusedResult(v, fmt.Sprintf("not run: %v", err))
	}
	if end == nil {
		end = func(string) {}
	}
	return end, nil
}

// abs is name as the file tools mean it: absolute, "~" expanded, not cleaned,
// since "link/.." is for the kernel to say.
func (s *Session) abs(name string) string {
	switch {
	case name == "":
		return s.opt.Cwd
	case s.opt.Home != "" && (name == "~" || strings.HasPrefix(name, "~/")):
		return s.opt.Home + name[1:]
	case filepath.IsAbs(name):
		return name
	}
	return strings.TrimSuffix(s.opt.Cwd, "/") + "/" + name
}

// place is the canonical path of the call's effect of one of these kinds.
func place(v gate.Verdict, kinds ...permissions.Kind) (string, error) {
	for _, k := range kinds {
		for _, e := range v.Call.Effects {
			if e.Kind != k || e.Path == "" {
				continue
			}
			if e.Place.Real == "" {
				return "", fmt.Errorf("%s: cannot tell where it leads: %s", approval.Line(e.Path), orElse(e.Place.Err, "it was not resolved"))
			}
			return e.Place.Real, nil
		}
	}
	return "", fmt.Errorf("the call names no path that was decided on")
}

func orElse(s, or string) string {
	if s == "" {
		return or
	}
	return s
}
