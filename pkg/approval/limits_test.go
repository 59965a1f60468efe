package approval_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mayi/pkg/approval"
)

var ls = approval.Question{ID: "1", Session: "s", Call: "c", Tool: "bash", Command: "ls /desktop", Rules: []string{"command(ls)"}}

func ask(a approval.Asker, q approval.Question) <-chan approval.Answer {
	done := make(chan approval.Answer, 1)
	go func() {
		answer, err := a.Ask(context.Background(), q)
		if err != nil {
			answer.Note += " error: " + err.Error()
		}
		done <- answer
	}()
	return done
}

func answer(t *testing.T, done <-chan approval.Answer) approval.Answer {
	t.Helper()
	select {
	case a := <-done:
		return a
	case <-time.After(60 * time.Second):
		t.Fatal("no answer")
		panic("unreachable")
	}
}

// counter answers with what it is told and counts how often it was asked.
type counter struct {
	asked atomic.Int32
	reply func(n int, q approval.Question) (approval.Answer, error)
}

func (c *counter) Ask(_ context.Context, q approval.Question) (approval.Answer, error) {
	return c.reply(int(c.asked.Add(1)), q)
}

func always(a approval.Answer) func(int, approval.Question) (approval.Answer, error) {
	return func(int, approval.Question) (approval.Answer, error) { return a, nil }
}

func TestARefusalIsNotAskedAgain(t *testing.T) {
	c := &counter{reply: always(approval.Answer{Choice: approval.No, By: "ann"})}
	l := approval.NewLimits(c, approval.LimitOptions{})
	for i := range 3 {
		a, err := l.Ask(context.Background(), ls)
		if err != nil || a.Choice != approval.No {
			t.Fatalf("Ask = %+v, %v", a, err)
		}
		if i > 0 && !strings.Contains(a.Note, "refused before") {
			t.Errorf("the note does not say why: %q", a.Note)
		}
	}
	if n := c.asked.Load(); n != 1 {
		t.Errorf("asked %d times, want 1", n)
	}
	other, call := ls, ls
	other.Session, call.Call = "t", "d"
	for _, q := range []approval.Question{other, call} {
		if _, err := l.Ask(context.Background(), q); err != nil {
			t.Fatal(err)
		}
	}
	if n := c.asked.Load(); n != 3 {
		t.Errorf("another session and another call were not asked: %d", n)
	}
	l.Forget("s")
	l.Ask(context.Background(), ls)
	if n := c.asked.Load(); n != 4 {
		t.Errorf("a forgotten session was not asked: %d", n)
	}
}

func TestASilenceIsAskedAgain(t *testing.T) {
	c := &counter{reply: always(approval.Denied("nobody answered"))}
	l := approval.NewLimits(c, approval.LimitOptions{})
	for range 2 {
		l.Ask(context.Background(), ls)
	}
	if n := c.asked.Load(); n != 2 {
		t.Errorf("asked %d times, want 2", n)
	}
}

func TestConcurrentQuestionsAreOne(t *testing.T) {
	for _, tt := range []struct {
		answer approval.Answer
		asked  int32
	}{
		{approval.Answer{Choice: approval.Session, By: "ann"}, 1},
		{approval.Answer{Choice: approval.No, By: "ann"}, 1},
		{approval.Denied("nobody answered"), 1},
		{approval.Answer{Choice: approval.Once, By: "ann"}, 10}, // good for one run each
	} {
		release := make(chan struct{})
		c := &counter{}
		c.reply = func(int, approval.Question) (approval.Answer, error) { <-release; return tt.answer, nil }
		l := approval.NewLimits(c, approval.LimitOptions{})
		var entered, wg sync.WaitGroup
		for range 10 {
			entered.Add(1)
			wg.Go(func() {
				entered.Done()
				a, err := l.Ask(context.Background(), ls)
				if err != nil || a.Choice != tt.answer.Choice {
					t.Errorf("Ask = %+v, %v; want %s", a, err, tt.answer.Choice)
				}
			})
		}
		entered.Wait()
		// Whoever has not arrived by now is answered like the rest where the
		// answer stays; a silence does not.
		for c.asked.Load() == 0 {
			time.Sleep(time.Millisecond)
		}
		if tt.answer.Choice == approval.No && !tt.answer.Answered() || tt.answer.Choice == approval.Session {
			time.Sleep(50 * time.Millisecond)
		}
		close(release)
		wg.Wait()
		if n := c.asked.Load(); n != tt.asked {
			t.Errorf("%s: asked %d times, want %d", tt.answer.Choice, n, tt.asked)
		}
	}
}

func TestWhoGivesUpSpeaksForItself(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	c := &counter{}
	c.reply = func(n int, _ approval.Question) (approval.Answer, error) {
		if n == 1 {
			<-ctx.Done()
			return approval.Denied("withdrawn"), ctx.Err()
		}
		return approval.Answer{Choice: approval.Session, By: "ann"}, nil
	}
	l := approval.NewLimits(c, approval.LimitOptions{})
	first := make(chan approval.Answer)
	go func() {
		a, _ := l.Ask(ctx, ls)
		first <- a
	}()
	for c.asked.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	second := ask(l, ls)
	time.Sleep(50 * time.Millisecond) // let it find the first one's question; coming later it asks anyway
	cancel()
	if a := <-first; a.Choice != approval.No {
		t.Errorf("the one who gave up got %+v", a)
	}
	if a := answer(t, second); a.Choice != approval.Session {
		t.Errorf("the one who waited got %+v", a)
	}
}

func TestRate(t *testing.T) {
	now := time.Unix(1000, 0)
	c := &counter{reply: always(approval.Answer{Choice: approval.Session, By: "ann"})}
	l := approval.NewLimits(c, approval.LimitOptions{PerMinute: 3, Now: func() time.Time { return now }})
	askNext := func(session string) approval.Answer {
		q := ls
		q.Session, q.Call = session, fmt.Sprint("call ", c.asked.Load(), session)
		a, err := l.Ask(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	for i := range 3 {
		if a := askNext("s"); a.Choice != approval.Session {
			t.Fatalf("question %d: %+v", i, a)
		}
		now = now.Add(10 * time.Second)
	}
	if a := askNext("s"); a.Choice != approval.No || !strings.Contains(a.Note, "within a minute") {
		t.Errorf("the fourth question: %+v", a)
	}
	if a := askNext("t"); a.Choice != approval.Session {
		t.Errorf("another session: %+v", a)
	}
	now = now.Add(30 * time.Second) // a minute after the first
	if a := askNext("s"); a.Choice != approval.Session {
		t.Errorf("after a minute: %+v", a)
	}
	if a := askNext("s"); a.Choice != approval.No {
		t.Errorf("the window slid too far: %+v", a)
	}
}

func TestOpenQuestionsAreBounded(t *testing.T) {
	release := make(chan struct{})
	c := &counter{}
	c.reply = func(int, approval.Question) (approval.Answer, error) {
		<-release
		return approval.Answer{Choice: approval.Session, By: "ann"}, nil
	}
	l := approval.NewLimits(c, approval.LimitOptions{Open: 2})
	var waiting []<-chan approval.Answer
	for _, call := range []string{"a", "b"} {
		q := ls
		q.Call = call
		waiting = append(waiting, ask(l, q))
	}
	for c.asked.Load() < 2 {
		time.Sleep(time.Millisecond)
	}
	if a, _ := l.Ask(context.Background(), ls); a.Choice != approval.No || !strings.Contains(a.Note, "are waiting already") {
		t.Errorf("the third open question: %+v", a)
	}
	close(release)
	for _, w := range waiting {
		if a := answer(t, w); a.Choice != approval.Session {
			t.Errorf("a question within the bound: %+v", a)
		}
	}
	if a, _ := l.Ask(context.Background(), ls); a.Choice != approval.Session {
		t.Errorf("after the others were answered: %+v", a)
	}
}

func TestLimitsFailClosed(t *testing.T) {
	for name, reply := range map[string]func(int, approval.Question) (approval.Answer, error){
		"panic": func(int, approval.Question) (approval.Answer, error) { panic("boom\x1b[2J") },
		"error with a yes": func(int, approval.Question) (approval.Answer, error) {
			return approval.Answer{Choice: approval.Once, By: "x"}, errors.New("broken")
		},
		"zero answer":         always(approval.Answer{}),
		"unknown word":        always(approval.Answer{Choice: "allow", By: "x"}),
		"look-alike":          always(approval.Answer{Choice: "оnce", By: "x"}),
		"nobody's yes":        always(approval.Answer{Choice: approval.Once}),
		"a rule of their own": always(approval.Answer{Choice: approval.Always, Rule: "command(*)", Layer: "user", By: "x"}),
		"a layer above":       always(approval.Answer{Choice: approval.Always, Rule: "command(ls)", Layer: "managed", By: "x"}),
	} {
		l := approval.NewLimits(&counter{reply: reply}, approval.LimitOptions{})
		a, err := l.Ask(context.Background(), ls)
		if err != nil || a.Choice != approval.No || a.Note == "" || strings.Contains(a.Note, "\x1b") {
			t.Errorf("%s: %+v, %v; want no with a clean note", name, a, err)
		}
	}
	good := approval.Answer{Choice: approval.Always, Rule: "command(ls)", Layer: "project", By: "ann"}
	if a := approval.Strict(ls, good); a != good {
		t.Errorf("Strict changed a good answer: %+v", a)
	}
}
