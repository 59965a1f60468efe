package approval

import (
	"context"
	"time"
)

// turn lets one question at a time reach the person.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

// take waits for the turn; the error is ctx's.
func (t turn) take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t turn) give() { <-t }

// untilExpiry returns a context that ends when q expires. A question without
// an expiry ends with ctx only.
func untilExpiry(ctx context.Context, q Question) (context.Context, context.CancelFunc) {
	if q.Expires.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, q.Expires)
}

// unanswered is the refusal of a question whose time is over, or the error of
// the caller's context where that is what ended it.
func unanswered(ctx context.Context, q Question) (Answer, error) {
	if err := ctx.Err(); err != nil {
		return Denied("the question was withdrawn before anybody answered"), err
	}
	return Denied("nobody answered within %s", within(lifetime(q))), nil
}

func lifetime(q Question) time.Duration {
	if q.Asked.IsZero() || q.Expires.Before(q.Asked) {
		return 0
	}
	return q.Expires.Sub(q.Asked)
}
