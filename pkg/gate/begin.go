package gate

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"mayi/pkg/approval"
	"mayi/pkg/permissions"
)

// Record is what is kept about one call.
type Record struct {
	At    time.Time
	Event Event
	// About is the number of the record that this one continues, or 0.
	About   int64
	Verdict Verdict
	// Apart: another process runs the call that began, and makes the record
	// survive a loss of power before it does.
	Apart bool
	// Outcome is what came of a call that ended: "exit 0", "failed: …".
	Outcome string
}

// Event is what a record tells of.
type Event string

// The events of a call's life.
const (
	// Began: an allowed call is about to run.
	Began Event = "begin"
	// Ended: it has run.
	Ended Event = "end"
	// Refused: a call was not allowed and did not run.
	Refused Event = "refused"
	// Answered: a person was asked about a call.
	Answered Event = "answer"
)

// Recorder keeps records and numbers them. When Record returns without an
// error, the record is safe; an error means that nothing was kept.
type Recorder interface {
	Record(ctx context.Context, r Record) (number int64, err error)
}

// Begin lets an allowed call run, once: it consumes the once-grants that the
// verdict rests on and writes the record. An error means: do not run. The
// returned end is called with what came of it ("exit 0", "failed: …").
//
// A verdict with obligations does not begin here: whoever calls Begin has not
// said that they are met.
func (g *Gate) Begin(ctx context.Context, v Verdict) (end func(outcome string), err error) {
	if len(v.Obligations) > 0 {
		v = refused(v, "it is allowed on condition only ("+strings.Join(v.Obligations, ", ")+"), and nothing here meets that")
	}
	return g.begin(ctx, v)
}

// BeginConfined is [Gate.Begin] for a runner that confines the call to what it
// was decided on and does not run it where it cannot.
func (g *Gate) BeginConfined(ctx context.Context, v Verdict) (end func(outcome string), err error) {
	if err := known(v); err != nil {
		v = refused(v, err.Error())
	}
	return g.begin(ctx, v)
}

func (g *Gate) begin(ctx context.Context, v Verdict) (end func(outcome string), err error) {
	number, err := g.start(ctx, v, false)
	if err != nil {
		return nil, err
	}
	var once sync.Once
	return func(outcome string) {
		once.Do(func() { g.End(context.WithoutCancel(ctx), v, number, outcome) })
	}, nil
}

// start lets v begin and returns the record's number.
func (g *Gate) start(ctx context.Context, v Verdict, apart bool) (number int64, err error) {
	if v.Verdict != permissions.Allow {
		g.Refuse(ctx, v)
		return 0, fmt.Errorf("not allowed: %s", v.Reason)
	}
	if g.at.Load().version != v.Policy {
		return 0, fmt.Errorf("the settings changed since the call was decided; it has to be decided again")
	}
	if err := g.claim(ctx, v); err != nil {
		return 0, err
	}
	number, err = g.record(ctx, Record{Event: Began, Verdict: v, Apart: apart})
	if err != nil && !onlyReads(v.Call) {
		return 0, fmt.Errorf("the call is not run because it cannot be recorded: %w", err)
	}
	return number, nil
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
			paths = append(paths, approval.Access{Path: e.Place.Real, Write: writes(e.Kind)})
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
func (g *Gate) Refuse(ctx context.Context, v Verdict) {
	_, _ = g.record(ctx, Record{Event: Refused, Verdict: v})
}

// answered notes a person's answer on the verdict and records it.
func (g *Gate) answered(ctx context.Context, v Verdict, a approval.Answer) Verdict {
	v.Answered = string(a.Choice)
	if a.By != "" {
		v.Answered += " by " + a.By
	}
	if a.Note != "" {
		v.Answered += " (" + a.Note + ")"
	}
	_, _ = g.record(ctx, Record{Event: Answered, Verdict: v})
	return v
}

func (g *Gate) record(ctx context.Context, r Record) (int64, error) {
	if g.opts.Recorder == nil {
		return 0, fmt.Errorf("there is no record to write to")
	}
	r.At = g.now()
	return g.opts.Recorder.Record(ctx, r)
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
