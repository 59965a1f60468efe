package model

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// attempts is how often a request is sent at most.
	attempts = 3
	// longestWait is the longest that a server may make the person wait without
	// being asked; beyond it the failure is shown instead.
	longestWait = 30 * time.Second
)

// Retry returns m with failures that may pass tried again: a few times, only
// as long as nothing of a reply has been shown, with a notice to the person
// each time.
func Retry(m Model) Model {
	return &retrying{Model: m, wait: sleep}
}

type retrying struct {
	Model
	wait func(context.Context, time.Duration) error
}

// Stream implements [Model].
func (r *retrying) Stream(ctx context.Context, req Request, emit func(Event)) (Reply, error) {
	pause := time.Second
	for n := 1; ; n++ {
		shown := false
		reply, err := r.Model.Stream(ctx, req, func(ev Event) {
			shown = true
			emit(ev)
		})
		var f *Failure
		if err == nil || shown || n == attempts || !errors.As(err, &f) || !f.Temporary {
			return reply, err
		}
		d := max(pause, f.RetryAfter)
		if d > longestWait {
			return reply, err
		}
		emit(Event{Notice: fmt.Sprintf("%s: %s; trying again in %s", f.Where, f.What, d.Round(100*time.Millisecond))})
		if err := r.wait(ctx, d); err != nil {
			return reply, err
		}
		pause *= 2
	}
}

// sleep waits for d or the end of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
