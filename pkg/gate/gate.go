// Package gate is the policy decision point: it takes one tool call from the
// request to the decision, asks a person where a person must decide, and lets
// an allowed call begin exactly once.
//
//	Request → effects.Of → workspace.Resolve → grants → permissions.Evaluate → Verdict
//	Verdict(ask) → Ask → Verdict     Verdict(allow) → Begin → the tool runs → end
//
// It holds no policy of its own and starts nothing itself. Every failure on
// the way ends as a deny.
package gate

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"mayi/pkg/approval"
	"mayi/pkg/config"
	"mayi/pkg/patterns"
	"mayi/pkg/permissions"
	"mayi/pkg/shell"
	"mayi/pkg/workspace"
)

// Options are the parts that a gate is made of.
type Options struct {
	Settings *config.Settings
	Analyzer *shell.Analyzer
	// Grants returns what a session remembers; nil remembers nothing.
	Grants func(session string) approval.Grants
	// Recorder keeps the record; nil means that nothing is recorded, which
	// only a caller that never runs anything may choose.
	Recorder Recorder
	// AddRule writes a rule that a person chose with "always" into the layer's
	// settings file and returns the settings as they are then. nil: there is no
	// such file, and the answer is refused.
	AddRule func(ctx context.Context, layer, rule string) (*config.Settings, error)
	// Cwd, Home, User and Env describe where calls run unless they say
	// otherwise.
	Cwd, Home, User string
	Env             map[string]string
	// AnswerWithin bounds how long a question may stay open; 0 is ten minutes.
	AnswerWithin time.Duration
	// Now is the clock, nil for time.Now.
	Now func() time.Time
}

// Gate decides calls under one set of settings. Safe for concurrent use.
type Gate struct {
	opts Options
	now  func() time.Time
	at   atomic.Pointer[compiled]
}

// compiled is what follows from the settings alone.
type compiled struct {
	settings *config.Settings
	policy   permissions.Policy
	decider  *permissions.Decider
	space    *workspace.Workspace
	watch    []string
	version  string
	patterns patterns.Patterns
	// unusable says why the deny patterns cannot be used: then no command may
	// run, since a pattern that was meant to refuse it would be missed.
	unusable error
}

// New returns a gate.
func New(o Options) (*Gate, error) {
	if o.Settings == nil {
		return nil, fmt.Errorf("the gate needs settings")
	}
	if o.Analyzer == nil {
		return nil, fmt.Errorf("the gate needs a shell analyzer")
	}
	if o.AnswerWithin <= 0 {
		o.AnswerWithin = 10 * time.Minute
	}
	g := &Gate{opts: o, now: o.Now}
	if g.now == nil {
		g.now = time.Now
	}
	g.Use(o.Settings)
	return g, nil
}

// Use makes the gate decide under s from now on. Verdicts made before can no
// longer begin where s differs from what they were made under.
func (g *Gate) Use(s *config.Settings) {
	p, exec := s.Policy(), s.Tools.Exec
	denied, err := patterns.New(patterns.Config{Builtin: exec.EnableDenyPatterns, Deny: exec.CustomDenyPatterns, Allow: exec.CustomAllowPatterns})
	g.at.Store(&compiled{
		settings: s,
		policy:   p,
		decider:  permissions.New(p),
		space:    s.Workspace(),
		watch:    watched(p),
		version:  s.VersionOf(p),
		patterns: denied,
		unusable: err,
	})
}

// AnswerWithin is how long a question may stay open.
func (g *Gate) AnswerWithin() time.Duration { return g.opts.AnswerWithin }

// Settings returns what the gate decides under.
func (g *Gate) Settings() *config.Settings { return g.at.Load().settings }

// watched lists the globs that a look below a folder has to look for.
func watched(p permissions.Policy) []string {
	var out []string
	for _, r := range p.Rules {
		if (r.Kind == permissions.ReadRule || r.Kind == permissions.WriteRule) && r.Action != permissions.ActionAllow {
			out = append(out, r.Glob)
		}
	}
	return out
}

// Decide decides the call and asks nobody. It never fails: whatever goes
// wrong is a deny.
func (g *Gate) Decide(ctx context.Context, r Request) (v Verdict) {
	c := g.at.Load()
	v = Verdict{Request: r, Policy: c.version}
	defer func() {
		if p := recover(); p != nil {
			v.Decision = permissions.Decision{Reason: fmt.Sprintf("deciding failed: %v", p)}
		}
	}()
	if err := ctx.Err(); err != nil {
		v.Decision = permissions.Decision{Reason: "deciding was cut off: " + err.Error()}
		return v
	}
	v.Text = Describe(r)
	v.Hash = hashOf(r, g.cwd(r))
	v.Call = g.call(c, r)
	v.Decision = c.decide(v.Call)
	settled := v.Verdict == permissions.Allow && len(v.Obligations) == 0 && !slices.ContainsFunc(v.Call.Effects, c.answerable)
	if v.Verdict == permissions.Deny || settled {
		return v // no answer could change it, so none is looked up
	}
	if err := g.remembered(ctx, c, &v); err != nil {
		v.Decision = permissions.Decision{Reason: "what was answered before cannot be read: " + err.Error(), Risk: v.Risk}
		return v
	}
	v.Decision = c.decide(v.Call)
	return v
}

// decide is the policy's decision, with the deny patterns as the last net
// under it.
func (c *compiled) decide(call permissions.Call) permissions.Decision {
	d := permissions.Evaluate(c.decider, call)
	if !call.Shell || d.Verdict == permissions.Deny {
		return d
	}
	why := c.patterns.Blocks(call)
	if c.unusable != nil {
		why = c.unusable.Error()
	}
	if why == "" {
		return d
	}
	reason := permissions.Reason{Verdict: permissions.Deny, Code: "deny-pattern", Text: why, Part: -1, Effect: -1}
	return permissions.Decision{
		Reason: why, Risk: permissions.RiskCritical,
		Reasons: append([]permissions.Reason{reason}, d.Reasons...),
	}
}

func (g *Gate) cwd(r Request) string {
	if r.Cwd != "" {
		return r.Cwd
	}
	return g.opts.Cwd
}

func (g *Gate) env(r Request) map[string]string {
	if r.Env != nil {
		return r.Env
	}
	return g.opts.Env
}

// remembered fills in what the person has answered before. The error says why
// that cannot be known.
func (g *Gate) remembered(ctx context.Context, c *compiled, v *Verdict) error {
	grants := g.grants(v.Request.Session)
	if grants == nil {
		return nil
	}
	v.Call.Approved = grants.LookupCall(v.Hash)
	denied := v.Call.Approved == permissions.GrantDenied
	for i := range v.Call.Effects {
		e := &v.Call.Effects[i]
		if !c.answerable(*e) {
			continue
		}
		e.Grant = c.answerFor(ctx, grants, e, v.Hash)
		denied = denied || e.Grant == permissions.GrantDenied
	}
	// A store that cannot be read answers "denied", so that an earlier no is
	// not lost; then that is what the person has to hear.
	if store, ok := grants.(interface{ Err(context.Context) error }); ok && denied {
		return store.Err(ctx)
	}
	return nil
}

// answerFor is what the person has answered about the effect's place: a denial
// as it is, a grant only as far as it can open this kind of access there.
func (c *compiled) answerFor(ctx context.Context, grants approval.Grants, e *permissions.Effect, call string) permissions.Grant {
	found := grants.Lookup(e.Place.Real, writes(e.Kind), call)
	if found != permissions.GrantDenied && (!pathGrant(e.Kind) || c.inherited(ctx, grants, e, call)) {
		return permissions.NoGrant
	}
	return found
}

// answerable reports whether a person may have answered about the place before:
// it is outside of the workspace, or protected, or an ask rule means it.
func (c *compiled) answerable(e permissions.Effect) bool {
	return e.Place.Real != "" && (e.Place.Zone == permissions.Outside || e.Place.Protected != "" || c.decider.Asks(e))
}

// writes reports whether only a grant to write covers the kind.
func writes(k permissions.Kind) bool { return k != permissions.Read && k != permissions.Exec }

// pathGrant reports whether an answer about a path can open this kind of access
// to it. An answer about reading or writing says nothing about running what
// lies there: that is an answer about the call.
func pathGrant(k permissions.Kind) bool { return k == permissions.Read || k == permissions.FSWrite }

func (g *Gate) grants(session string) approval.Grants {
	if session == "" || g.opts.Grants == nil {
		return nil
	}
	return g.opts.Grants(session)
}

// Grants returns what a session remembers, nil for a session that remembers
// nothing.
func (g *Gate) Grants(session string) approval.Grants { return g.grants(session) }
