package approvaltest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"mayi/pkg/approval"
	"mayi/pkg/permissions"
)

// Driver is an asker under test together with the person who uses it.
type Driver struct {
	Asker approval.Asker
	// Type makes the person type a line and Enter. It waits until the asker
	// waits for one.
	Type func(line string)
	// Shown returns everything that the person has been shown so far; nil
	// where the asker itself shows nothing (the queue).
	Shown func() string
	// Hangup ends the person's side, as closing the window does; nil where
	// there is no such thing.
	Hangup func()
}

// patience bounds what must happen; it is never waited for when all is well.
const patience = 60 * time.Second

// Asker runs the suite for approval.Asker. start returns a fresh asker; it is
// called once for each test and cleans up with t.
func Asker(t *testing.T, start func(t *testing.T) Driver) {
	for _, tt := range []struct {
		name  string
		lines []string
		want  approval.Answer
	}{
		{"once", []string{"once"}, approval.Answer{Choice: approval.Once}},
		{"once, first letter", []string{"o"}, approval.Answer{Choice: approval.Once}},
		{"once, shouted", []string{" ONCE "}, approval.Answer{Choice: approval.Once}},
		{"session", []string{"session"}, approval.Answer{Choice: approval.Session}},
		{"session, first letter", []string{"s"}, approval.Answer{Choice: approval.Session}},
		{"no", []string{"no"}, approval.Answer{Choice: approval.No}},
		{"no, first letter", []string{"n"}, approval.Answer{Choice: approval.No}},
		{"empty lines, then no", []string{"", "", "no"}, approval.Answer{Choice: approval.No}},
		{"yes is not clear", []string{"yes", "y", "no"}, approval.Answer{Choice: approval.No}},
		{"garbage does not grant", []string{"onc", "sessio", "once session", "о", "ſ", "1", "no"}, approval.Answer{Choice: approval.No}},
		{"help, then once", []string{"?", "once"}, approval.Answer{Choice: approval.Once}},
		{"always, narrow, user", []string{"always", "1", "user", "yes"},
			approval.Answer{Choice: approval.Always, Rule: "command(git log)", Layer: "user"}},
		{"always, broad, project", []string{"a", "2", "p", "y"},
			approval.Answer{Choice: approval.Always, Rule: "command(git)", Layer: "project"}},
		{"always, back, no", []string{"always", "back", "no"}, approval.Answer{Choice: approval.No}},
		{"always, refused at the end", []string{"always", "1", "user", "no"}, approval.Answer{Choice: approval.No}},
		{"always is not once", []string{"always", "once", "3", "0", "1", "once", "user", "once", "no"}, approval.Answer{Choice: approval.No}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := start(t)
			got := ask(d, question("q"), context.Background())
			for _, l := range tt.lines {
				d.Type(l)
			}
			a := wait(t, got)
			if a.Choice != tt.want.Choice || a.Rule != tt.want.Rule || a.Layer != tt.want.Layer {
				t.Errorf("answer %+v, want %+v", a, tt.want)
			}
			if !a.Answered() {
				t.Errorf("the answer does not say who gave it: %+v", a)
			}
		})
	}
	t.Run("expiry", func(t *testing.T) { askerExpiry(t, start(t)) })
	t.Run("expired before it is asked", func(t *testing.T) { askerExpired(t, start(t)) })
	t.Run("withdrawn", func(t *testing.T) { askerWithdrawn(t, start(t)) })
	t.Run("several wait for one another", func(t *testing.T) { askerSeveral(t, start(t)) })
	t.Run("shows the facts", func(t *testing.T) { askerShows(t, start(t)) })
	t.Run("hangup", func(t *testing.T) { askerHangup(t, start(t)) })
}

func question(id string) approval.Question {
	return approval.Question{
		ID: id, Session: "s", Owner: "ann", Call: "call-" + id, Policy: "p", Tool: "bash", Command: "git log " + id,
		Needs:  []permissions.Need{{What: "path", Path: "/desktop/" + id, Access: permissions.Read}},
		Reason: "the path is outside the workspace", Risk: permissions.RiskMedium,
		Rules: []string{"command(git log)", "command(git)"},
		Asked: time.Now(), Expires: time.Now().Add(time.Hour),
	}
}

type outcome struct {
	id     string
	answer approval.Answer
	err    error
}

func ask(d Driver, q approval.Question, ctx context.Context) <-chan outcome {
	ch := make(chan outcome, 1)
	go func() {
		a, err := d.Asker.Ask(ctx, q)
		ch <- outcome{q.ID, a, err}
	}()
	return ch
}

func receive(t *testing.T, ch <-chan outcome) outcome {
	t.Helper()
	select {
	case o := <-ch:
		return o
	case <-time.After(patience):
		t.Fatal("Ask did not come back")
		panic("unreachable")
	}
}

func wait(t *testing.T, ch <-chan outcome) approval.Answer {
	t.Helper()
	o := receive(t, ch)
	if o.err != nil {
		t.Fatalf("Ask: %v", o.err)
	}
	return o.answer
}

// silent checks for a refusal that nobody gave and that says so.
func silent(t *testing.T, a approval.Answer) {
	t.Helper()
	if a.Choice != approval.No || a.Answered() || a.Note == "" {
		t.Errorf("answer %+v, want a no by nobody with a note", a)
	}
}

func askerExpiry(t *testing.T, d Driver) {
	q := question("q")
	q.Expires = time.Now().Add(50 * time.Millisecond)
	silent(t, wait(t, ask(d, q, context.Background())))
	if d.Shown != nil {
		for end := time.Now().Add(patience); !strings.Contains(d.Shown(), "it was refused"); time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("the person was not told that the time is over:\n%s", d.Shown())
			}
		}
	}
	// The next question is asked as if nothing had been.
	got := ask(d, question("r"), context.Background())
	d.Type("once")
	if a := wait(t, got); a.Choice != approval.Once {
		t.Errorf("after an expiry: %+v, want once", a)
	}
}

func askerExpired(t *testing.T, d Driver) {
	q := question("q")
	q.Expires = time.Now().Add(-time.Second)
	silent(t, wait(t, ask(d, q, context.Background())))
}

func askerWithdrawn(t *testing.T, d Driver) {
	ctx, cancel := context.WithCancel(context.Background())
	got := ask(d, question("q"), ctx)
	d.Type("what?")
	cancel()
	o := receive(t, got)
	if o.err == nil {
		t.Error("a cancelled context gave no error")
	}
	silent(t, o.answer)
}

func askerSeveral(t *testing.T, d Driver) {
	all := make(chan outcome, 3)
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			o := <-ask(d, question(fmt.Sprint(i)), context.Background())
			all <- o
		})
	}
	counts := map[approval.Choice]int{}
	for _, line := range []string{"once", "session", "no"} {
		d.Type(line)
		o := receive(t, all)
		if o.err != nil {
			t.Fatal(o.err)
		}
		if string(o.answer.Choice) != line {
			t.Errorf("question %s got %q, typed %q", o.id, o.answer.Choice, line)
		}
		counts[o.answer.Choice]++
	}
	wg.Wait()
	if len(counts) != 3 {
		t.Errorf("answers %v, want one of each", counts)
	}
}

func askerShows(t *testing.T, d Driver) {
	if d.Shown == nil {
		t.Log("this asker leaves showing to the one who answers")
		return
	}
	q := question("q")
	q.Command = "git log \x1b[2K\u202e; rm -rf ~\nonce"
	got := ask(d, q, context.Background())
	d.Type("no")
	wait(t, got)
	text := strings.ReplaceAll(d.Shown(), "\r", "")
	for _, want := range []string{"⟨U+001B⟩[2K⟨U+202E⟩; rm -rf ~", "│ once", "read /desktop/q", "outside the workspace", "medium", "refused"} {
		if !strings.Contains(text, want) {
			t.Errorf("not shown: %q in\n%s", want, text)
		}
	}
	if strings.ContainsAny(text, "\u202e") || strings.Contains(text, "\x1b[2K") {
		t.Errorf("raw control characters were shown: %q", text)
	}
}

func askerHangup(t *testing.T, d Driver) {
	if d.Hangup == nil {
		t.Log("this asker has no line that can be hung up")
		return
	}
	got := ask(d, question("q"), context.Background())
	d.Type("what?")
	d.Hangup()
	if o := receive(t, got); o.answer.Choice != approval.No {
		t.Errorf("after a hangup: %+v, %v; want no", o.answer, o.err)
	}
}
