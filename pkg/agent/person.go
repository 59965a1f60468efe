package agent

import (
	"context"
	"fmt"
	"sync"

	"mayi/pkg/approval"
)

// person is an asker whose person can go away.
type person struct {
	asker approval.Asker
	// discard throws away what was typed before a question; nil does nothing.
	discard func() error
	once    sync.Once
	gone    chan struct{}
}

func newPerson(a approval.Asker, discard func() error) *person {
	return &person{asker: a, discard: discard, gone: make(chan struct{})}
}

func (p *person) hangUp() { p.once.Do(func() { close(p.gone) }) }

// Ask implements [approval.Asker].
func (p *person) Ask(ctx context.Context, q approval.Question) (approval.Answer, error) {
	asking, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case <-p.gone:
			cancel()
		case <-done:
		}
	}()
	select {
	case <-p.gone:
		return approval.Denied("the input has ended, so nobody can answer"), nil
	default:
	}
	if p.discard != nil {
		if err := p.discard(); err != nil {
			return approval.Denied("the terminal could not be used"), fmt.Errorf("discard what was typed before the question: %w", err)
		}
	}
	a, err := p.asker.Ask(asking, q)
	if err != nil && ctx.Err() == nil && asking.Err() != nil {
		return approval.Denied("the input ended before anybody answered"), nil
	}
	return a, err
}
