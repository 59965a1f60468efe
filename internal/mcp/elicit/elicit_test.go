package elicit_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"mayi/internal/mcp/elicit"
	"mayi/pkg/approval"
	"mayi/pkg/approval/approvaltest"
)

// person is a client whose user types, also what is none of the choices.
type person struct {
	lines  chan string
	hungup chan struct{}

	mu    sync.Mutex
	shown strings.Builder
	open  int
	words [][]string
}

func (p *person) Elicits() bool { return true }
func (p *person) Name() string  { return "a test" }

func (p *person) Tell(_ context.Context, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shown.WriteString(text)
}

func (p *person) Elicit(ctx context.Context, message string, words []string) (string, elicit.Outcome, error) {
	p.Tell(ctx, message)
	p.mu.Lock()
	p.open++
	p.words = append(p.words, words)
	open := p.open
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		p.open--
		p.mu.Unlock()
	}()
	if open > 1 {
		return "", elicit.Closed, errors.New("two forms are open at once")
	}
	select {
	case l := <-p.lines:
		return l, elicit.Chosen, nil
	case <-p.hungup:
		return "", elicit.Closed, errors.New("the connection is closed")
	case <-ctx.Done():
		return "", elicit.Closed, ctx.Err()
	}
}

func newPerson() *person {
	return &person{lines: make(chan string), hungup: make(chan struct{})}
}

func TestElicitationIsAnAsker(t *testing.T) {
	approvaltest.Asker(t, func(t *testing.T) approvaltest.Driver {
		p := newPerson()
		return approvaltest.Driver{
			Asker: elicit.New(p),
			Type: func(line string) {
				select {
				case p.lines <- line:
				case <-time.After(30 * time.Second):
					t.Error("no form took the line")
				}
			},
			Shown: func() string {
				p.mu.Lock()
				defer p.mu.Unlock()
				return p.shown.String()
			},
			Hangup: func() { close(p.hungup) },
		}
	})
}

func question() approval.Question {
	return approval.Question{ID: "q", Call: "c", Tool: "bash", Command: "ls", Expires: time.Now().Add(time.Hour)}
}

// fixed ends every form in one way.
type fixed struct {
	elicits bool
	word    string
	outcome elicit.Outcome
	err     error
}

func (f fixed) Elicits() bool                { return f.elicits }
func (f fixed) Name() string                 { return "" }
func (f fixed) Tell(context.Context, string) {}
func (f fixed) Elicit(context.Context, string, []string) (string, elicit.Outcome, error) {
	return f.word, f.outcome, f.err
}

func TestHowAFormEnds(t *testing.T) {
	for _, c := range []struct {
		name     string
		client   fixed
		choice   approval.Choice
		answered bool
		err      error
	}{
		{"no form", fixed{}, approval.No, false, approval.ErrUnavailable},
		{"closed", fixed{elicits: true}, approval.No, false, nil},
		{"closed with a word", fixed{elicits: true, word: "once"}, approval.No, false, nil},
		{"declined", fixed{elicits: true, outcome: elicit.Declined}, approval.No, true, nil},
		{"declined with a word", fixed{elicits: true, word: "once", outcome: elicit.Declined}, approval.No, true, nil},
		{"failed", fixed{elicits: true, word: "once", outcome: elicit.Chosen, err: errors.New("broken")}, approval.No, false, nil},
		{"chosen", fixed{elicits: true, word: "once", outcome: elicit.Chosen}, approval.Once, true, nil},
		{"nonsense for ever", fixed{elicits: true, word: "yes", outcome: elicit.Chosen}, approval.No, false, nil},
		{"always without a rule", fixed{elicits: true, word: "always", outcome: elicit.Chosen}, approval.No, false, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := elicit.New(c.client).Ask(context.Background(), question())
			if a.Choice != c.choice || a.Answered() != c.answered || !errors.Is(err, c.err) {
				t.Errorf("%+v, %v", a, err)
			}
		})
	}
}

// TestTheChoicesFollowTheDialog: a form offers what its prompt asks for.
func TestTheChoicesFollowTheDialog(t *testing.T) {
	p := newPerson()
	go func() {
		for _, l := range []string{"always", "2", "user", "yes"} {
			p.lines <- l
		}
	}()
	q := question()
	q.Rules = []string{"command(ls)", "command(l*)"}
	if a, err := elicit.New(p).Ask(context.Background(), q); err != nil || a.Choice != approval.Always || a.By != "the person at a test" {
		t.Fatalf("%+v, %v", a, err)
	}
	got := ""
	for _, w := range p.words {
		got += strings.Join(w, " ") + "\n"
	}
	if want := "once session always no\n1 2 back\nuser project back\nyes back\n"; got != want {
		t.Errorf("the forms offered\n%swant\n%s", got, want)
	}
}

// TestReadingAForm: only an accepted one has a word in it.
func TestReadingAForm(t *testing.T) {
	for _, c := range []struct {
		action  string
		content map[string]any
		word    string
		outcome elicit.Outcome
	}{
		{"accept", map[string]any{"answer": "once"}, "once", elicit.Chosen},
		{"accept", map[string]any{"answer": true}, "", elicit.Chosen},
		{"accept", nil, "", elicit.Chosen},
		{"decline", map[string]any{"answer": "once"}, "", elicit.Declined},
		{"cancel", map[string]any{"answer": "once"}, "", elicit.Closed},
		{"Accept", map[string]any{"answer": "once"}, "", elicit.Closed},
		{"", nil, "", elicit.Closed},
	} {
		if word, outcome := elicit.Answer(c.action, c.content); word != c.word || outcome != c.outcome {
			t.Errorf("%s %v: %q %d", c.action, c.content, word, outcome)
		}
	}
}
