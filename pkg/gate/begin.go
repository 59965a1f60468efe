package gate

import (
	"context"
	"fmt"
	"sync"
	"time"

	"mayi/pkg/approval"
	"mayi/pkg/permissions"
)

// Record is what is kept about one call.
type Record struct {
	At       time.Time
	Session  string
	Caller   string
	Verdict  Verdict
	Answered string
	// Outcome is "" when the call begins, and what came of it when it ends.
	Outcome string
}

// Recorder keeps records. An error means that nothing was kept.
type Recorder interface {
	Record(ctx context.Context, r Record) error
}

// Begin lets an allowed call run, once: it consumes the once-grants that the
// verdict rests on and writes the record. An error means: do not run. The
// returned end is called with what came of it ("exit 0", "failed: …").
func (g *Gate) Begin(ctx context.Context, v Verdict) (end func(outcome string), err error) {
	if v.Verdict != permissions.Allow {
		g.Refuse(ctx, v)
		return nil, fmt.Errorf("not allowed: %s", v.Reason)
	}
	if g.at.Load().version != v.Policy {
		return nil, fmt.Errorf("the settings changed since the call was decided; it has to be decided again")
	}
	if err := g.claim(ctx, v); err != nil {
		return nil, err
	}
	if err := g.record(ctx, v, ""); err != nil && !onlyReads(v.Call) {
		return nil, fmt.Errorf("the call is not run because it cannot be recorded: %w", err)
	}
	var once sync.Once
	return func(outcome string) {
		once.Do(func() { _ = g.record(context.WithoutCancel(ctx), v, outcome) })
	}, nil
}

// claim consumes the once-grants that v rests on, all of them or none.
func (g *Gate) claim(ctx context.Context, v Verdict) error {
	grants := g.grants(v.Request.Session)
	if grants == nil {
		return nil
	}
	var paths []approval.Access
	for _, e := range v.Call.Effects {
		if e.Grant == permissions.GrantedOnce {
			paths = append(paths, approval.Access{Path: e.Place.Real, Write: e.Kind == permissions.FSWrite})
		}
	}
	self := v.Call.Approved == permissions.GrantedOnce
	if len(paths) == 0 && !self {
		return nil
	}
	ok, err := grants.Claim(ctx, v.Hash, paths, self)
	if err != nil {
		return fmt.Errorf("the permission could not be used: %w", err)
	}
	if !ok {
		return fmt.Errorf("the permission was for one time and has been used; ask again")
	}
	return nil
}

// Refuse records that a call was not run. Failing to record it changes
// nothing: the call does not run either way.
func (g *Gate) Refuse(ctx context.Context, v Verdict) { _ = g.record(ctx, v, "not run") }

// answered records a person's answer and notes it on the verdict.
func (g *Gate) answered(_ context.Context, v Verdict, a approval.Answer) Verdict {
	v.Answered = string(a.Choice)
	if a.By != "" {
		v.Answered += " by " + a.By
	}
	if a.Note != "" {
		v.Answered += " (" + a.Note + ")"
	}
	return v
}

func (g *Gate) record(ctx context.Context, v Verdict, outcome string) error {
	if g.opts.Recorder == nil {
		return fmt.Errorf("there is no record to write to")
	}
	return g.opts.Recorder.Record(ctx, Record{
		At: g.now(), Session: v.Request.Session, Caller: v.Request.Caller,
		Verdict: v, Answered: v.Answered, Outcome: outcome,
	})
}

// onlyReads reports whether the call does nothing but read: such a call may
// run even where no record can be written.
func onlyReads(c permissions.Call) bool {
	if c.Shell || len(c.Effects) == 0 {
		return false
	}
	for _, e := range c.Effects {
		if e.Kind != permissions.Read {
			return false
		}
	}
	return true
}
