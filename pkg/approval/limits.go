package approval

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// LimitOptions bounds how often a session may ask. A zero field is the
// default.
type LimitOptions struct {
	// Open is how many questions of a session may wait at once (20),
	// PerMinute how many may be asked in any minute (60).
	Open, PerMinute int
	// Now is the clock.
	Now func() time.Time
}

// Limits stands before another asker and keeps an agent from wearing the
// person down: concurrent questions about the same call are one question, what
// was refused is not asked again in that session, and a session that asks too
// often is refused. A failing or panicking asker is a refusal that says so.
// Safe for concurrent use.
type Limits struct {
	next Asker
	o    LimitOptions

	mu       sync.Mutex
	sessions map[string]*asked
}

// asked is what is known about one session's questions.
type asked struct {
	open    map[string]*flight
	refused map[string]bool
	recent  []time.Time
}

// flight is a question on its way; answer is set before done is closed.
type flight struct {
	done   chan struct{}
	answer Answer
	// again: the answer was for the one who asked only.
	again bool
}

// NewLimits returns an asker that asks next within o.
func NewLimits(next Asker, o LimitOptions) *Limits {
	if o.Open <= 0 {
		o.Open = 20
	}
	if o.PerMinute <= 0 {
		o.PerMinute = 60
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Limits{next: next, o: o, sessions: map[string]*asked{}}
}

// Forget drops what is known about a session, when it ends or when the person
// wants to be asked again.
func (l *Limits) Forget(session string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.sessions, session)
}

// Ask asks, unless the limits answer. Its error is always nil: whatever goes
// wrong is in the note of a refusal.
func (l *Limits) Ask(ctx context.Context, q Question) (Answer, error) {
	for {
		f, mine, refusal := l.enter(q)
		if refusal != nil {
			return *refusal, nil
		}
		if mine {
			return l.lead(ctx, q, f), nil
		}
		select {
		case <-f.done:
		case <-ctx.Done():
			return Denied("the question was withdrawn before anybody answered"), nil
		}
		if !f.again {
			return f.answer, nil
		}
	}
}

// enter finds the question that is already open, opens one, or refuses.
func (l *Limits) enter(q Question) (f *flight, mine bool, refusal *Answer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.sessions[q.Session]
	if s == nil {
		s = &asked{open: map[string]*flight{}, refused: map[string]bool{}}
		l.sessions[q.Session] = s
	}
	refuse := func(format string, args ...any) (*flight, bool, *Answer) {
		a := Denied(format, args...)
		return nil, false, &a
	}
	if s.refused[q.Call] {
		return refuse("this was refused before in this session and is not asked again")
	}
	if f := s.open[q.Call]; f != nil {
		return f, false, nil
	}
	if len(s.open) >= l.o.Open {
		return refuse("%d questions of this session are waiting already; no more are asked until one is answered", len(s.open))
	}
	now := l.o.Now()
	kept := s.recent[:0]
	for _, t := range s.recent {
		if now.Sub(t) < time.Minute {
			kept = append(kept, t)
		}
	}
	s.recent = kept
	if len(s.recent) >= l.o.PerMinute {
		return refuse("this session asked %d questions within a minute; wait before trying again", len(s.recent))
	}
	s.recent = append(s.recent, now)
	f = &flight{done: make(chan struct{})}
	s.open[q.Call] = f
	return f, true, nil
}

// lead asks for itself and for those who wait for the same question.
func (l *Limits) lead(ctx context.Context, q Question, f *flight) Answer {
	a := Denied("the question could not be asked")
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		f.answer = a
		// A once is good for one run, and a caller that gave up speaks only
		// for itself: the others ask anew.
		f.again = a.Choice == Once || (ctx.Err() != nil && !a.Answered())
		if s := l.sessions[q.Session]; s != nil {
			if s.open[q.Call] == f {
				delete(s.open, q.Call)
			}
			if a.Choice == No && a.Answered() {
				s.refused[q.Call] = true
			}
		}
		close(f.done)
	}()
	a = l.safely(ctx, q)
	return a
}

func (l *Limits) safely(ctx context.Context, q Question) (a Answer) {
	defer func() {
		if p := recover(); p != nil {
			a = Denied("asking failed: %s", Line(fmt.Sprint(p)))
		}
	}()
	a, err := l.next.Ask(ctx, q)
	if err != nil {
		note := "asking failed: " + Line(err.Error())
		if a.Note != "" {
			note = a.Note + " (" + Line(err.Error()) + ")"
		}
		return Answer{Choice: No, Note: note}
	}
	return Strict(q, a)
}
