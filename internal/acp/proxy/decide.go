package proxy

import (
	"context"
	"fmt"

	"mayi/internal/acp/facts"
	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

// ruling is the decision about one call, which may have to be read in several
// ways: all of them have to be allowed.
type ruling struct {
	gate     *gate.Gate
	verdicts []gate.Verdict
	// at is the strictest of them, -1 where nothing could be decided; then why
	// says so.
	at  int
	why string
}

func (r ruling) verdict() permissions.Verdict {
	if r.at < 0 {
		return permissions.Deny
	}
	return r.verdicts[r.at].Verdict
}

// reason is why the call is not simply allowed.
func (r ruling) reason() string {
	if r.at < 0 {
		return r.why
	}
	v := r.verdicts[r.at]
	text := approval.Line(v.Reason)
	if len(v.Rules) > 0 && v.Rules[0].Source.File != "" {
		text += fmt.Sprintf(" (%s:%d)", approval.Line(v.Rules[0].Source.File), v.Rules[0].Source.Line)
	}
	return text
}

// decide takes the readings of a call to the gate.
func (s *session) decide(ctx context.Context, c *conv, readings []facts.Reading) (r ruling) {
	defer func() {
		if p := recover(); p != nil {
			r = ruling{at: -1, why: "deciding failed: " + approval.Line(fmt.Sprint(p))}
		}
	}()
	s.mu.Lock()
	over, cwd := c.over, c.cwd
	s.mu.Unlock()
	if over {
		return ruling{at: -1, why: "the agent is in a mode above the ceiling"}
	}
	p, err := s.place(c)
	if err != nil {
		return ruling{at: -1, why: "the gate could not be opened: " + approval.Line(err.Error())}
	}
	r = ruling{gate: p.Gate, at: -1, why: "the call could not be read"}
	for _, one := range readings {
		v := p.Gate.Decide(ctx, gate.Request{
			Session: s.name(c), Caller: s.o.Caller, Remote: true, Cwd: cwd, Tool: one.Tool, Input: one.Input,
		})
		if one.Only && !v.Objects() {
			continue
		}
		r.verdicts = append(r.verdicts, v)
		if r.at < 0 || v.Verdict < r.verdicts[r.at].Verdict {
			r.at = len(r.verdicts) - 1
		}
	}
	return r
}

// name is the session whose answers count.
func (s *session) name(c *conv) string { return s.o.Session + ":" + c.id }

// settle takes a person's answer to all that was to be asked. force says why a
// person is asked also where the policy allows; "" for no such reason. The result
// is allowed only where the answer covers all of it.
func (r ruling) settle(ctx context.Context, asker approval.Asker, force string) ruling {
	out := ruling{gate: r.gate, at: -1, why: r.why}
	for _, v := range r.verdicts {
		switch {
		case v.Verdict == permissions.Ask:
			v, _, _ = r.gate.Ask(ctx, v, asker)
		case v.Verdict == permissions.Allow && force != "":
			v, _, _ = r.gate.Confirm(ctx, v, gate.Concern{ID: approval.NewID(), Reason: force}, asker)
		}
		out.verdicts = append(out.verdicts, v)
		if out.at < 0 || v.Verdict < out.verdicts[out.at].Verdict {
			out.at = len(out.verdicts) - 1
		}
		if v.Verdict != permissions.Allow {
			break
		}
	}
	return out
}

// begin lets what is allowed begin. end is told what came of it.
func (r ruling) begin(ctx context.Context) (end func(outcome string), err error) {
	if r.verdict() != permissions.Allow {
		return nil, fmt.Errorf("not allowed: %s", r.reason())
	}
	var ends []func(string)
	all := func(outcome string) {
		for _, f := range ends {
			f(outcome)
		}
	}
	for _, v := range r.verdicts {
		f, err := r.gate.Begin(ctx, v)
		if err != nil {
			all("not run: " + err.Error())
			return nil, err
		}
		ends = append(ends, f)
	}
	return all, nil
}

// refused records that the call does not run.
func (r ruling) refused(ctx context.Context) {
	if r.at >= 0 {
		r.gate.Refuse(ctx, r.verdicts[r.at])
	}
}

// answer is an asker whose question was answered already.
func answer(a approval.Answer) approval.Asker {
	return approval.AskerFunc(func(context.Context, approval.Question) (approval.Answer, error) { return a, nil })
}
