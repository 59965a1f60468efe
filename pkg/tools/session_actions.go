package tools

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"mayi/pkg/approval"
	"mayi/pkg/gate"
)

// background starts the command as a session and returns at once; unmet is as for
// foreground.
func (t *ExecTool) background(ctx context.Context, v gate.Verdict, spec processSpec) (res *ToolResult, unmet bool) {
	if err := t.enter(true); err != nil {
		return ErrorResult(err.Error()), false
	}
	defer t.busy.Done()
	end, res := t.opt.Session.begin(ctx, v, t.opt.Confine != nil)
	if res != nil {
		return res, false
	}
	p, err := t.start(ctx, v, spec)
	if err != nil {
		end("failed: " + err.Error())
		return refusedResult(v, "the command could not be started: "+err.Error()), errors.Is(err, errUnmet)
	}
	s := &shellSession{id: strings.ToLower(rand.Text()[:12]), verdict: v, proc: p}
	s.typed.start(spec)
	p.onEnd(end)
	t.keep(s)
	return &ToolResult{
		ForLLM:  fmt.Sprintf("started as session %s; read shows its output, kill ends it", s.id) + p.news(),
		Verdict: &v,
	}, false
}

// look takes an action that only looks at the own sessions to the gate.
func (t *ExecTool) look(ctx context.Context, action, id string, do func() *ToolResult) *ToolResult {
	s := t.opt.Session
	input := map[string]any{"action": action}
	if id != "" {
		input["sessionId"] = id
	}
	return s.guard(ctx, s.request(execTool, input, s.Cwd()), func(context.Context, gate.Verdict) (*ToolResult, string) {
		res := do()
		return res, outcomeOf(res)
	})
}

func (t *ExecTool) list(ctx context.Context) *ToolResult {
	return t.look(ctx, "list", "", func() *ToolResult {
		all := t.all()
		if len(all) == 0 {
			return textResult("no sessions")
		}
		var b strings.Builder
		for _, s := range all {
			fmt.Fprintf(&b, "%s\n", s.line())
		}
		return textResult(strings.TrimSuffix(b.String(), "\n"))
	})
}

func (s *shellSession) line() string {
	status, _ := s.proc.status()
	return fmt.Sprintf("%s  %s  %s unread  started %s ago  %s", s.id, status,
		byteCount(s.proc.out.unread()), time.Since(s.proc.started).Round(time.Second), approval.Line(s.verdict.Text))
}

func byteCount(n int) string {
	if n == 1 {
		return "1 byte"
	}
	return approval.Thousands(n) + " bytes"
}

func (t *ExecTool) poll(ctx context.Context, args map[string]any) *ToolResult {
	s, res := t.find(text(args, "sessionId"))
	if res != nil {
		return res
	}
	return t.look(ctx, "poll", s.id, func() *ToolResult {
		status, _ := s.proc.status()
		return textResult(fmt.Sprintf("[%s] %s of output not read yet", status, byteCount(s.proc.out.unread())) + s.proc.refused())
	})
}

// settle is how long read and write wait for output that is on its way.
const settle = 150 * time.Millisecond

func (t *ExecTool) read(ctx context.Context, args map[string]any) *ToolResult {
	s, res := t.find(text(args, "sessionId"))
	if res != nil {
		return res
	}
	return t.look(ctx, "read", s.id, func() *ToolResult {
		if s.proc.out.unread() == 0 {
			select {
			case <-s.proc.done:
			case <-ctx.Done():
			case <-time.After(settle):
			}
		}
		status, _ := s.proc.status()
		out := s.proc.out.next()
		if out == "" {
			out = "(nothing new)"
		}
		return textResult(strings.TrimSuffix(out, "\n") + "\n[" + status + "]" + s.proc.news())
	})
}

func (t *ExecTool) kill(ctx context.Context, args map[string]any) *ToolResult {
	s, res := t.find(text(args, "sessionId"))
	if res != nil {
		return res
	}
	return t.look(ctx, "kill", s.id, func() *ToolResult {
		s.proc.end("ended by kill")
		select {
		case <-s.proc.done:
		case <-ctx.Done():
			return ErrorResult("interrupted while the session was ending")
		}
		status, _ := s.proc.status()
		return textResult(fmt.Sprintf("session %s: %s", s.id, status) + s.proc.news())
	})
}
