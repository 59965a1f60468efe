package approval

import (
	"context"
	"errors"
)

// AskerFunc makes a function an [Asker].
type AskerFunc func(ctx context.Context, q Question) (Answer, error)

// Ask calls f.
func (f AskerFunc) Ask(ctx context.Context, q Question) (Answer, error) { return f(ctx, q) }

// First asks the first of the askers that has a way to the person: one that
// answers [ErrUnavailable] is passed over, every other outcome stands. With
// none left it refuses.
func First(askers ...Asker) Asker {
	return AskerFunc(func(ctx context.Context, q Question) (Answer, error) {
		for _, a := range askers {
			if a == nil {
				continue
			}
			answer, err := a.Ask(ctx, q)
			if !errors.Is(err, ErrUnavailable) {
				return answer, err
			}
		}
		return Denied("there is nobody to ask here"), ErrUnavailable
	})
}

// Nobody is the asker of a place where no person is: it always refuses.
func Nobody() Asker { return First() }

// LazyTerminal asks at the process's own terminal, which it opens for each
// question: a program that asks nothing opens nothing.
func LazyTerminal(o TerminalOptions) Asker {
	turn := newTurn()
	return AskerFunc(func(ctx context.Context, q Question) (Answer, error) {
		limited, cancel := untilExpiry(ctx, q)
		defer cancel()
		if err := turn.take(limited); err != nil {
			return unanswered(ctx, q)
		}
		defer turn.give()
		t, err := OpenTerminal(o)
		if err != nil {
			return Denied("there is no terminal to ask at"), err
		}
		defer t.Close()
		return t.Ask(ctx, q)
	})
}
