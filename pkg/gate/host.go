package gate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"mayi/pkg/approval"
	"mayi/pkg/permissions"
)

// ErrHostAsk is wrapped where a running call reaches for a host that a person has
// to say about; see [Gate.ReachHost].
var ErrHostAsk = errors.New("a person has to say whether the host may be reached")

// hostAsk is [ErrHostAsk] with the rule that asks.
type hostAsk struct{ reason, rule string }

func (e hostAsk) Error() string { return ErrHostAsk.Error() + ": " + e.reason }
func (hostAsk) Unwrap() error   { return ErrHostAsk }

// Asks is the rule in the words of the settings, "" where none asks.
func (e hostAsk) Asks() string { return e.rule }

// Host decides whether the running call v may connect to a host now. It asks
// nobody. A host that the call was decided with need not be asked about again.
func (g *Gate) Host(ctx context.Context, v Verdict, host string) error {
	w, err := g.reachingHost(ctx, v, host)
	switch {
	case err != nil:
		return err
	case w.Verdict == permissions.Allow:
		return nil
	case w.Verdict == permissions.Ask:
		ask := hostAsk{reason: w.Reason}
		for _, r := range w.Rules {
			if r.Action == permissions.ActionAsk {
				ask.rule = r.String()
			}
		}
		return ask
	}
	return errors.New(w.Reason)
}

// ReachHost asks about a host that [Gate.Host] said has to be asked about. A
// session answer stops further questions, also for later calls; a no is kept as
// long. The choice is Once or Session where the host may be reached; every failure
// is No, or Unasked.
func (g *Gate) ReachHost(ctx context.Context, v Verdict, host string, asker approval.Asker) (choice approval.Choice) {
	defer func() {
		if recover() != nil {
			choice = approval.No
		}
	}()
	w, err := g.reachingHost(ctx, v, host)
	switch {
	case err == nil && w.Verdict == permissions.Allow:
		return approval.Once
	case err != nil:
		return approval.No
	case w.Verdict == permissions.Deny:
		g.Refuse(ctx, w)
		return approval.No
	case asker == nil:
		g.Refuse(ctx, w)
		return Unasked
	}
	q := g.Question(w)
	answer, err := asker.Ask(ctx, q)
	if err != nil {
		answer = approval.Denied("the question was not answered: %v", err)
	}
	answer = approval.Strict(q, answer)
	grant := approval.Grant{Session: v.Request.Session, Call: w.Hash, At: g.now(), Answer: permissions.GrantedSession}
	switch choice = answer.Choice; choice {
	case approval.Session, approval.Always:
		choice = approval.Session
	case approval.Once:
	default:
		choice, grant.Answer = approval.No, permissions.GrantDenied
		if !answer.Answered() {
			choice = Unasked
		}
	}
	if grants := g.grants(v.Request.Session); grants != nil && choice != approval.Once && answer.Answered() {
		if err := grants.Put(ctx, grant); err != nil {
			choice = approval.No
		}
	}
	g.answered(ctx, w, answer)
	return choice
}

// reachingHost is the connection as a call of its own, decided.
func (g *Gate) reachingHost(ctx context.Context, v Verdict, host string) (Verdict, error) {
	name, err := permissions.NormalizeHost(host)
	if err != nil {
		return Verdict{}, err
	}
	w := v
	w.Answered = ""
	w.Text = fmt.Sprintf("%s\n(running; it wants to connect to %s)", v.Text, name)
	w.Hash = hashOf(Request{Tool: permissions.Tool{Name: "connect"}, Input: map[string]any{"host": name}}, "")
	w.Call = permissions.Call{
		Tool: permissions.Tool{Name: "web_fetch", Builtin: true}, Remote: v.Call.Remote, Held: slices.Contains(v.Obligations, permissions.Confine),
		Effects: []permissions.Effect{{Kind: permissions.NetRead, Host: name, Certainty: permissions.Exact, Origin: permissions.FromTool, Part: -1}},
	}
	if slices.ContainsFunc(v.Call.Effects, func(e permissions.Effect) bool { return namesHost(e, name) }) {
		w.Call.Approved = permissions.GrantedOnce
	}
	if grants := g.grants(v.Request.Session); grants != nil {
		if found := grants.LookupCall(w.Hash); found != permissions.NoGrant {
			w.Call.Approved = found
		}
		if store, ok := grants.(interface{ Err(context.Context) error }); ok && w.Call.Approved == permissions.GrantDenied {
			if err := store.Err(ctx); err != nil {
				return w, fmt.Errorf("what was answered before cannot be read: %w", err)
			}
		}
	}
	w.Decision = permissions.Evaluate(g.at.Load().decider, w.Call)
	return w, nil
}

// namesHost reports whether the effect is on exactly this host.
func namesHost(e permissions.Effect, name string) bool {
	if e.Certainty != permissions.Exact || e.Kind != permissions.NetRead && e.Kind != permissions.NetWrite {
		return false
	}
	host, err := permissions.NormalizeHost(e.Host)
	if e.Host == "" {
		host, err = permissions.HostOfURL(e.URL)
	}
	return err == nil && host == name
}
