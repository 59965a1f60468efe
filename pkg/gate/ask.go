package gate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"mayi/pkg/approval"
	"mayi/pkg/permissions"
)

// Question returns what a person would be asked about v. Every fact in it is
// the gate's own.
func (g *Gate) Question(v Verdict) approval.Question {
	now := g.now()
	q := approval.Question{
		ID:      approval.NewID(),
		Session: v.Request.Session,
		Owner:   g.opts.User,
		Call:    v.Hash,
		Policy:  v.Policy,
		Tool:    v.Request.Tool.Name,
		Command: v.Text,
		Needs:   v.Needs,
		Reason:  v.Reason,
		Risk:    v.Risk,
		Asked:   now,
		Expires: now.Add(g.opts.AnswerWithin),
	}
	for _, r := range v.Suggestions {
		q.Rules = append(q.Rules, r.Text)
	}
	return q
}

// Ask brings an asking verdict to the person, remembers the answer and decides
// again: what counts is the state of the world after the answer. The returned
// verdict is allowed only where the answer covers it. Where nobody could be
// asked it is v as it was, with [approval.ErrUnavailable].
func (g *Gate) Ask(ctx context.Context, v Verdict, asker approval.Asker) (Verdict, approval.Answer, error) {
	if v.Verdict != permissions.Ask {
		return v, approval.Answer{Choice: approval.No}, fmt.Errorf("there is nothing to ask: the decision is %s", v.Verdict)
	}
	if asker == nil {
		return refused(v, "nobody can be asked here"), approval.Answer{Choice: approval.No, Note: "nobody can be asked here"}, nil
	}
	q := g.Question(v)
	a, err := asker.Ask(ctx, q)
	if errors.Is(err, approval.ErrUnavailable) {
		return v, approval.Denied("nobody can be asked here"), err // still to be asked
	}
	if err != nil {
		a = approval.Denied("the question was not answered: %v", err)
		return g.answered(ctx, refused(v, a.Note), a), a, err
	}
	a = approval.Strict(q, a)
	after, err := g.apply(ctx, v, a)
	return g.answered(ctx, after, a), a, err
}

// apply remembers a and decides again.
func (g *Gate) apply(ctx context.Context, v Verdict, a approval.Answer) (Verdict, error) {
	grants := g.grants(v.Request.Session)
	switch a.Choice {
	case approval.Once, approval.Session, approval.Always:
	default:
		// A silence is not a "no": the person may still answer another time.
		if grants != nil && a.Answered() {
			if err := g.put(ctx, grants, v, permissions.GrantDenied); err != nil {
				return refused(v, "a person refused"), err
			}
		}
		if a.Note != "" {
			return refused(v, a.Note), nil
		}
		return refused(v, "a person refused"), nil
	}
	if g.at.Load().version != v.Policy {
		return refused(v, "the settings changed while the question was open; the call has to be made again"), nil
	}
	if a.Choice == approval.Always {
		if err := g.always(ctx, a); err != nil {
			return refused(v, "the rule could not be written: "+err.Error()), err
		}
	}
	again := g.Decide(ctx, v.Request)
	if again.Verdict == permissions.Allow {
		return again, nil
	}
	if again.Verdict == permissions.Deny || !slices.Equal(again.Needs, v.Needs) {
		return refused(again, "something changed while the question was open: "+again.Reason), nil
	}
	grant := permissions.GrantedSession
	if a.Choice == approval.Once {
		grant = permissions.GrantedOnce
	}
	if grants == nil {
		// A session that remembers nothing: the answer covers this one call.
		again.Call.Approved = permissions.GrantedOnce
		again.Decision = g.at.Load().decide(again.Call)
		again.Call.Approved = permissions.NoGrant
		return again, nil
	}
	if err := g.put(ctx, grants, again, grant); err != nil {
		return refused(again, "the answer could not be kept: "+err.Error()), err
	}
	return g.Decide(ctx, v.Request), nil
}

// always writes the rule that the person chose; [approval.Strict] has held it to
// those that were shown.
func (g *Gate) always(ctx context.Context, a approval.Answer) error {
	if g.opts.AddRule == nil {
		return fmt.Errorf("there is no settings file to write it to")
	}
	s, err := g.opts.AddRule(ctx, a.Layer, a.Rule)
	if err != nil {
		return err
	}
	g.Use(s)
	return nil
}

// put remembers the answer for what the question named: each path with its
// access, and the call itself where more than paths was asked for. A once that
// covers the call covers its paths with it. A "no" to paths alone is about the
// paths; otherwise it is about this call.
func (g *Gate) put(ctx context.Context, grants approval.Grants, v Verdict, answer permissions.Grant) error {
	base := approval.Grant{Session: v.Request.Session, Answer: answer, At: g.now()}
	if answer == permissions.GrantedOnce {
		base.Call = v.Hash
	}
	n := sorted(v.Needs)
	call := n.call || n.guarded && answer != permissions.GrantDenied || len(n.paths) == 0
	if !call || answer == permissions.GrantedSession {
		for _, a := range n.paths {
			one := base
			one.Path, one.Write = a.Path, a.Write
			if err := grants.Put(ctx, one); err != nil {
				return err
			}
		}
	}
	if call {
		one := base
		one.Call = v.Hash
		return grants.Put(ctx, one)
	}
	return nil
}

// asked is what a question was about.
type asked struct {
	// paths are what an answer can open for other calls, too.
	paths []approval.Access
	// call: something else was asked for, which is for this call alone.
	call bool
	// guarded: one of the paths is a protected one.
	guarded bool
}

func sorted(needs []permissions.Need) asked {
	var out asked
	for _, n := range needs {
		if n.Path == "" || n.What == "command" || n.What == "tool" || n.What == "rule" || !pathGrant(n.Access) {
			out.call = true
			continue
		}
		out.guarded = out.guarded || n.What == "protected"
		out.paths = append(out.paths, approval.Access{Path: n.Path, Write: n.Access == permissions.FSWrite})
	}
	return out
}

func refused(v Verdict, reason string) Verdict {
	v.Verdict, v.Reason, v.Promptable, v.Obligations = permissions.Deny, reason, false, nil
	return v
}
