package sandbox

import (
	"context"
	"sync"
	"time"
)

const (
	// maxQuestions is how many different questions one job may put to a
	// person; a program that reaches for everything is not worth more.
	maxQuestions = 24
	defaultAsk   = 5 * time.Minute
)

// asks puts questions to a person, each one once at a time, and remembers the
// answers for the job.
type asks struct {
	ctx    context.Context
	f      func(context.Context, Access) Answer
	limit  time.Duration
	lend   func(func())
	report func(Violation)

	turn sync.Mutex // one question at a time
	mu   sync.Mutex
	no   map[question]bool
	yes  []Access
	left int
}

type question struct {
	op   Op
	path string
	host string
	port int
}

func newAsks(ctx context.Context, c *Command, lend func(func()), report func(Violation)) *asks {
	limit := c.AskTime
	if limit <= 0 {
		limit = defaultAsk
	}
	return &asks{ctx: ctx, f: c.Ask, limit: limit, lend: lend, report: report, no: map[question]bool{}, left: maxQuestions}
}

// closed says that nobody can be asked.
func (a *asks) closed() bool { return a.f == nil }

func (a *asks) known(x Access) (answer, known bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.no[question{x.Op, x.Path, x.Host, x.Port}] {
		return false, true
	}
	for _, y := range a.yes {
		if y.Op != x.Op && !(y.Op == OpWrite && x.Op == OpRead) || x.Asks != "" && x.Asks != y.Asks || x.Rule != "" && x.Rule != y.Rule {
			continue // a rule that the person was not told of has no answer
		}
		if x.Op == OpConnect && y.Host == x.Host && y.Port == x.Port || x.Op != OpConnect && within(x.Path, y.Path) {
			return true, true
		}
	}
	return false, false
}

// allow answers later questions about an access with yes.
func (a *asks) allow(x Access) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.yes = append(a.yes, x)
}

// ask gives the person's answer. Everything but a clear yes is a no: no person,
// an error, a panic, too many questions, the time, the job's end.
func (a *asks) ask(ctx context.Context, x Access) bool {
	if a.f == nil {
		a.report(violation(x, false))
		return false
	}
	if ok, known := a.known(x); known {
		return ok
	}
	a.turn.Lock()
	defer a.turn.Unlock()
	// Somebody may have asked the same thing while we waited for our turn.
	if ok, known := a.known(x); known {
		return ok
	}
	a.mu.Lock()
	a.left--
	over := a.left < 0
	a.mu.Unlock()
	if over || ctx.Err() != nil {
		a.report(violation(x, false))
		return false
	}
	ans := No
	a.lend(func() { ans = a.put(ctx, x) })
	if a.remember(x, ans) {
		return true
	}
	a.report(violation(x, ans != Unasked)) // before the call goes on: the job may end with it
	return false
}

// remember keeps an answer for the job and says whether it is a yes.
func (a *asks) remember(x Access, ans Answer) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch ans {
	case Once:
		return true
	case Session:
		a.yes = append(a.yes, x)
		return true
	}
	a.no[question{x.Op, x.Path, x.Host, x.Port}] = true
	return false
}

// put calls the function, for no longer than a question may stay open.
func (a *asks) put(ctx context.Context, x Access) Answer {
	ctx, cancel := context.WithTimeout(ctx, a.limit)
	defer cancel()
	out := make(chan Answer, 1)
	go func() {
		ans := No
		defer func() {
			if recover() != nil {
				ans = No
			}
			out <- ans
		}()
		ans = a.f(ctx, x)
	}()
	select {
	case ans := <-out:
		if ctx.Err() != nil {
			return No
		}
		return ans
	case <-ctx.Done():
		return No
	}
}
