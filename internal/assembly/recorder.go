package assembly

import (
	"context"
	"strconv"
	"strings"

	"mayi/internal/wire"
	"mayi/pkg/gate"
	"mayi/pkg/store"
)

// recorder writes the gate's records into the audit log.
type recorder struct{ audit *store.Audit }

// Record implements gate.Recorder.
func (r recorder) Record(ctx context.Context, g gate.Record) (int64, error) {
	v := g.Verdict
	out := store.Record{
		Time: g.At, Event: string(g.Event), About: g.About,
		Session: v.Request.Session, Caller: v.Request.Caller, Tool: toolName(v),
		Text: v.Text, Verdict: v.Verdict.String(), Reason: v.Reason,
		Answered: v.Answered, Outcome: g.Outcome, Policy: v.Policy, Call: v.Hash,
	}
	if n, ok := strings.CutPrefix(g.Outcome, "exit "); ok {
		if code, err := strconv.Atoi(n); err == nil {
			out.Exit = &code
		}
	}
	for _, rule := range v.Rules {
		out.Rules = append(out.Rules, rule.Text)
	}
	if g.Event != gate.Ended {
		for _, e := range v.Call.Effects {
			w := wire.FromEffect(e)
			out.Effects = append(out.Effects, store.Effect{Kind: w.Kind, Path: w.Path, Host: w.Host, Program: w.Program, Certainty: w.Certainty})
		}
	}
	written, err := r.audit.Append(ctx, out)
	return written.Seq, err
}

func toolName(v gate.Verdict) string {
	if v.Request.Tool.Server != "" {
		return "mcp:" + v.Request.Tool.Server + "." + v.Request.Tool.Name
	}
	return v.Request.Tool.Name
}
