package gate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"

	"mayi/pkg/approval"
	"mayi/pkg/permissions"
)

// Concern is a reason for a question that the policy does not know of: a tool
// that is not what it was.
type Concern struct {
	// ID is of this concern and no other: an answer about the same call without
	// it, or with another one, does not count.
	ID string
	// Reason is why it is asked, Text what the person has to see of it, raw.
	Reason, Text string
}

// Confirm is [Gate.Ask] for a call about which there is a concern: the person is
// asked about an allowed call, too. A session answer to an allowed call is the
// caller's to remember.
func (g *Gate) Confirm(ctx context.Context, v Verdict, c Concern, asker approval.Asker) (Verdict, approval.Answer, error) {
	if asker == nil {
		asker = approval.Nobody()
	}
	concerned := approval.AskerFunc(func(ctx context.Context, q approval.Question) (approval.Answer, error) {
		sum := sha256.Sum256([]byte(q.Call + "\n" + c.ID))
		q.Call = hex.EncodeToString(sum[:])
		q.Command += "\n\n" + c.Text
		if q.Reason = c.Reason; v.Verdict == permissions.Ask {
			q.Reason += "; " + v.Reason
		}
		return asker.Ask(ctx, q)
	})
	switch v.Verdict {
	case permissions.Ask:
		return g.Ask(ctx, v, concerned)
	case permissions.Allow:
	default:
		return v, approval.Answer{Choice: approval.No}, nil
	}
	q := g.Question(v)
	q.Rules, q.Risk = nil, permissions.RiskHigh // a rule would cover what was, too
	a, err := concerned.Ask(ctx, q)
	if errors.Is(err, approval.ErrUnavailable) {
		return refused(v, c.Reason+", and nobody can be asked here"), approval.Denied("nobody can be asked here"), err
	}
	if err != nil {
		a = approval.Denied("the question was not answered: %v", err)
		return g.answered(ctx, refused(v, a.Note), a), a, err
	}
	if a = approval.Strict(q, a); !a.Granted() {
		reason := "a person refused"
		if a.Note != "" {
			reason = a.Note
		}
		return g.answered(ctx, refused(v, reason), a), a, nil
	}
	again := g.Decide(ctx, v.Request)
	if again.Verdict == permissions.Allow && slices.Equal(again.Needs, v.Needs) {
		return g.answered(ctx, again, a), a, nil
	}
	return g.answered(ctx, refused(again, "something changed while the question was open: "+again.Reason), a), a, nil
}
