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
