// Package elicit asks the person through an MCP client: a question becomes an
// elicitation, which the client shows to its user. The dialog is that of every
// other way to ask.
package elicit

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"mayi/pkg/approval"
)

// Client is the client's side of an elicitation.
type Client interface {
	// Elicits reports whether the client can show a form.
	Elicits() bool
	// Name is how the client calls itself, "" where it does not say.
	Name() string
	// Elicit shows message with a choice between words, and returns what the
	// person chose. cancelled means that the form was closed without a choice.
	// It ends with ctx and withdraws the form then.
	Elicit(ctx context.Context, message string, words []string) (word string, outcome Outcome, err error)
	// Tell shows the person a text that needs no answer, where the client can.
	Tell(ctx context.Context, text string)
}

// Outcome is how a form ended.
type Outcome uint8

// The outcomes. The zero one grants nothing and counts as nobody's answer.
const (
	// Closed: without a choice, perhaps by nobody.
	Closed Outcome = iota
	// Declined: the person refused to choose, which is a no.
	Declined
	// Chosen: with a word.
	Chosen
)

// maxForms bounds the forms of one question: a client that answers at once and
// wrongly must not keep it open for ever.
const maxForms = 20

// Asker asks through one client. Safe for concurrent use: several questions wait
// for one another.
type Asker struct {
	client Client
	turn   chan struct{}
}

// New returns an asker for the client.
func New(c Client) *Asker {
	return &Asker{client: c, turn: make(chan struct{}, 1)}
}

// Ask implements [approval.Asker]. Where the client cannot show a form it is
// [approval.ErrUnavailable].
func (a *Asker) Ask(ctx context.Context, q approval.Question) (approval.Answer, error) {
	if !a.client.Elicits() {
		return approval.Denied("the client cannot ask its user"), approval.ErrUnavailable
	}
	waiting, cancel := context.WithCancel(ctx)
	if !q.Expires.IsZero() {
		waiting, cancel = context.WithDeadline(ctx, q.Expires)
	}
	defer cancel()
	select {
	case a.turn <- struct{}{}:
		defer func() { <-a.turn }()
	case <-waiting.Done():
		// What is left of the question is for the dialog to say.
	}
	return a.ask(ctx, waiting, q)
}

// ask is one question's dialog, carried over forms.
func (a *Asker) ask(ctx, waiting context.Context, q approval.Question) (approval.Answer, error) {
	shown := &text{}
	chat := approval.NewChat(shown.add)
	forms, stop := context.WithCancelCause(waiting)
	defer stop(nil)
	done := make(chan struct{})
	asking, end := context.WithCancelCause(ctx)
	defer end(nil)
	go func() {
		defer close(done)
		if err := a.forms(forms, q, chat, shown); err != nil {
			end(err)
		}
	}()
	answer, err := chat.Ask(asking, q)
	stop(nil)
	<-done
	// Whoever withdraws the question knows that it is refused.
	if rest := shown.take(); rest != "" && !answer.Answered() && ctx.Err() == nil {
		a.client.Tell(context.WithoutCancel(ctx), rest)
	}
	if cause := context.Cause(asking); cause != nil && ctx.Err() == nil && !answer.Answered() {
		if errors.Is(cause, errClosed) {
			return approval.Denied("the question was closed in the client without an answer"), nil
		}
		return approval.Denied("the client could not ask its user: %s", approval.Line(cause.Error())), nil
	}
	if answer.Answered() {
		answer.By = a.who()
	}
	return answer, err
}

var errClosed = errors.New("the form was closed")

// forms shows one form after the other until the dialog has its answer. An error
// means that there will be none.
func (a *Asker) forms(ctx context.Context, q approval.Question, chat *approval.Chat, shown *text) error {
	// The dialog opens in another goroutine; nothing is shown before.
	for !chat.Waiting() {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Millisecond):
		}
	}
	for range maxForms {
		if !chat.Waiting() {
			return nil
		}
		message := shown.take()
		word, outcome, err := a.client.Elicit(ctx, message, words(q, message))
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		case outcome == Closed:
			return errClosed
		case outcome == Declined:
			word = "no"
		}
		if !chat.Offer(word) {
			return nil
		}
	}
	return errors.New("too many answers that were none")
}

// words are the choices of the form that message asks for: those that its last
// line, the dialog's prompt, names.
func words(q approval.Question, message string) []string {
	prompt := strings.TrimSpace(message)
	prompt = prompt[strings.LastIndexByte(prompt, '\n')+1:]
	switch {
	case strings.HasPrefix(prompt, "Which rule"):
		var out []string
		for i := range q.Rules {
			out = append(out, strconv.Itoa(i+1))
		}
		return append(out, "back")
	case strings.HasPrefix(prompt, "Into which"):
		return []string{"user", "project", "back"}
	case strings.HasPrefix(prompt, "Write it"):
		return []string{"yes", "back"}
	case len(q.Rules) == 0:
		return []string{"once", "session", "no"}
	}
	return []string{"once", "session", "always", "no"}
}

func (a *Asker) who() string {
	if n := a.client.Name(); n != "" {
		return "the person at " + approval.Line(n)
	}
	return "the person at the MCP client"
}

// text collects what the dialog shows.
type text struct {
	mu sync.Mutex
	b  strings.Builder
}

func (t *text) add(s string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b.WriteString(s)
}

func (t *text) take() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.b.String()
	t.b.Reset()
	return s
}
