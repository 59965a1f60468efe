package ask_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"mayi/internal/acp/ask"
	"mayi/pkg/approval"
	"mayi/pkg/approval/approvaltest"
)

// editor is one whose user types: what stands for no option that is offered is
// passed over, as a key that means nothing is.
type editor struct {
	lines  chan string
	hungup chan struct{}

	mu    sync.Mutex
	shown strings.Builder
	open  int
}

func (e *editor) There() bool  { return true }
func (e *editor) Name() string { return "a test" }

func (e *editor) Note(_ context.Context, _, text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.shown.WriteString(text)
}

func (e *editor) Request(ctx context.Context, title, text string, options []ask.Option) (string, error) {
	e.Note(ctx, "", title+"\n"+text)
	e.mu.Lock()
	e.open++
	open := e.open
	e.mu.Unlock()
	defer func() {
		e.mu.Lock()
		e.open--
		e.mu.Unlock()
	}()
	if open > 1 {
		return "", errors.New("two requests are open at once")
	}
	for {
		select {
		case l := <-e.lines:
			for _, o := range options {
				if l = strings.ToLower(strings.Trim(l, " ")); l != "" && (l == o.ID || l == o.ID[:1]) {
					return o.ID, nil
				}
			}
		case <-e.hungup:
			return "", ask.ErrGone
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

func TestAnEditorIsAnAsker(t *testing.T) {
	approvaltest.Asker(t, func(t *testing.T) approvaltest.Driver {
		e := &editor{lines: make(chan string), hungup: make(chan struct{})}
		return approvaltest.Driver{
			Asker: ask.New(e),
			Type: func(line string) {
				select {
				case e.lines <- line:
				case <-time.After(30 * time.Second):
					t.Error("no request took the line")
				}
			},
			Shown: func() string {
				e.mu.Lock()
				defer e.mu.Unlock()
				return e.shown.String()
			},
			Hangup: func() { close(e.hungup) },
		}
	})
}

// fixed answers every request in one way.
type fixed struct {
	there bool
	id    string
	err   error
}

func (f fixed) There() bool                          { return f.there }
func (f fixed) Name() string                         { return "" }
func (f fixed) Note(context.Context, string, string) {}
func (f fixed) Request(context.Context, string, string, []ask.Option) (string, error) {
	return f.id, f.err
}

func TestOnlyAnOfferedOptionAnswers(t *testing.T) {
	for _, c := range []struct {
		name     string
		editor   fixed
		choice   approval.Choice
		answered bool
		err      error
	}{
		{"no editor", fixed{id: "once"}, approval.No, false, approval.ErrUnavailable},
		{"none", fixed{there: true}, approval.No, false, nil},
		{"once", fixed{there: true, id: "once"}, approval.Once, true, nil},
		{"session", fixed{there: true, id: "session"}, approval.Session, true, nil},
		{"no", fixed{there: true, id: "no"}, approval.No, true, nil},
		{"never offered", fixed{there: true, id: "o"}, approval.No, false, nil},
		{"always, where no rule can cover it", fixed{there: true, id: "always"}, approval.No, false, nil},
		{"a kind is no option", fixed{there: true, id: "allow_once"}, approval.No, false, nil},
		{"failed", fixed{there: true, id: "once", err: ask.ErrGone}, approval.No, false, nil},
	} {
		q := approval.Question{ID: "q", Call: "c", Tool: "bash", Command: "ls", Expires: time.Now().Add(time.Hour)}
		a, err := ask.New(c.editor).Ask(context.Background(), q)
		if a.Choice != c.choice || a.Answered() != c.answered || !errors.Is(err, c.err) {
			t.Errorf("%s: %+v, %v", c.name, a, err)
		}
	}
}
