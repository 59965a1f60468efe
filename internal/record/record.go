// Package record turns what the gate tells of a call into entries of the audit
// log.
package record

import (
	"context"
	"strconv"
	"strings"

	"mayi/internal/wire"
	"mayi/pkg/gate"
	"mayi/pkg/journal/entry"
	"mayi/pkg/permissions"
)

// Recorder writes the gate's records into an audit log.
type Recorder struct {
	// Append writes an entry that has to survive a loss of power.
	Append func(context.Context, entry.Record) (entry.Record, error)
	// Note writes one about what changed nothing; nil is Append.
	Note func(context.Context, entry.Record) (entry.Record, error)
}

// Record implements gate.Recorder.
func (r Recorder) Record(ctx context.Context, g gate.Record) (int64, error) {
	write := r.Append
	if r.Note != nil && (g.Apart || !changes(g)) {
		write = r.Note
	}
	written, err := write(ctx, of(g))
	return written.Seq, err
}

// changes reports whether losing the record with the machine's power would hide
// that something was changed, or that a person answered. That a question was
// left to somebody else to ask is neither yet.
func changes(g gate.Record) bool {
	switch g.Event {
	case gate.Refused, gate.Ended, gate.HandedOver:
		return false
	case gate.Began:
		return Changes(g.Verdict.Call)
	}
	return true
}

// Changes reports whether a call may do more than read, so that the record of
// its beginning has to survive a loss of power before it begins.
func Changes(c permissions.Call) bool {
	if len(c.Unread) > 0 {
		return true
	}
	for _, e := range c.Effects {
		if e.Kind != permissions.Read && e.Kind != permissions.NetRead {
			return true
		}
	}
	return false
}

func of(g gate.Record) entry.Record {
	v := g.Verdict
	out := entry.Record{
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
			out.Effects = append(out.Effects, entry.Effect{Kind: w.Kind, Path: w.Path, Host: w.Host, Program: w.Program, Certainty: w.Certainty})
		}
	}
	return out
}

func toolName(v gate.Verdict) string {
	if v.Request.Tool.Server != "" {
		return "mcp:" + v.Request.Tool.Server + "." + v.Request.Tool.Name
	}
	return v.Request.Tool.Name
}
