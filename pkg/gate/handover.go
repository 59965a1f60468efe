package gate

import (
	"context"
	"fmt"

	"mayi/pkg/permissions"
)

// HandedOver is the event of a call whose question somebody else asks the
// person: an agent, in its own window. What the person says there stays there.
const HandedOver Event = "asked"

// HandOver records that the question about v is asked elsewhere. Like one that
// begins, a call that does more than read does not go on without its record:
// an error means that it is to be refused.
func (g *Gate) HandOver(ctx context.Context, v Verdict) error {
	if v.Verdict != permissions.Ask {
		return fmt.Errorf("there is nothing to ask: the decision is %s", v.Verdict)
	}
	if _, err := g.record(ctx, Record{Event: HandedOver, Verdict: v}); err != nil && !onlyReads(v.Call) {
		return fmt.Errorf("the question cannot be recorded: %w", err)
	}
	return nil
}

// BeginApart is [Gate.BeginConfined] for a call that another process runs,
// which ends it with [Gate.End] and the number that is returned. That process
// also sees to it, before it runs the call, that a loss of power cannot take the
// record: a recorder may leave that out here.
func (g *Gate) BeginApart(ctx context.Context, v Verdict) (number int64, err error) {
	if err := known(v); err != nil {
		v = refused(v, err.Error())
	}
	return g.start(ctx, v, true)
}

// End records what came of the call whose beginning has this number.
func (g *Gate) End(ctx context.Context, v Verdict, number int64, outcome string) {
	_, _ = g.record(ctx, Record{Event: Ended, About: number, Verdict: v, Outcome: outcome})
}

// known reports an obligation that nobody could meet, because it is not known.
func known(v Verdict) error {
	for _, o := range v.Obligations {
		if o != permissions.Confine {
			return fmt.Errorf("it is allowed on a condition that is not known: %q", o)
		}
	}
	return nil
}
