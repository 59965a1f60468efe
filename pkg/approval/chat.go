package approval

import (
	"context"
	"sync"
	"time"
)

// Chat asks in a conversation: the question is shown among the messages, and
// the person's next line answers it. The loop that reads the person's lines
// gives each of them to [Chat.Offer] before anybody else sees it; what a model
// writes has no way there. Safe for concurrent use.
type Chat struct {
	show func(text string)
	who  string
	turn turn

	mu   sync.Mutex
	open *dialog
	done chan Answer
}

// NewChat returns a chat asker. show prints a text into the conversation; it
// is called by one goroutine at a time and must not call [Chat.Offer].
func NewChat(show func(text string)) *Chat {
	return &Chat{show: show, who: "the person in the chat", turn: newTurn()}
}

// Ask shows the question and waits for the line that answers it. Several
// questions wait for one another.
func (c *Chat) Ask(ctx context.Context, q Question) (Answer, error) {
	limited, cancel := untilExpiry(ctx, q)
	defer cancel()
	if err := c.turn.take(limited); err != nil {
		return unanswered(ctx, q)
	}
	defer c.turn.give()
	if limited.Err() != nil {
		return unanswered(ctx, q)
	}
	done := c.begin(q)
	defer c.end()
	select {
	case a := <-done:
		return Strict(q, a), nil
	case <-limited.Done():
	}
	// The last line may have come in the moment in which the time ran out; it
	// was taken, so it counts.
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case a := <-done:
		return Strict(q, a), nil
	default:
		c.open = nil
	}
	a, err := unanswered(ctx, q)
	c.show(a.Note + "; it was refused.\n")
	return a, err
}

func (c *Chat) begin(q Question) chan Answer {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open = &dialog{q: q}
	c.done = make(chan Answer, 1)
	c.show(Describe(q, time.Now()) + c.open.prompt())
	return c.done
}

func (c *Chat) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open, c.done = nil, nil
}

// Waiting reports whether a question is open.
func (c *Chat) Waiting() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open != nil
}

// Offer hands over the person's next line and reports whether it was taken.
// While a question is open every line is: what is no answer is answered with
// the choices, and goes nowhere else.
func (c *Chat) Offer(line string) (taken bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		return false
	}
	s := c.open.feed(line)
	if s.done {
		s.answer.By = c.who
		c.open = nil
		c.done <- s.answer
		return true
	}
	text := c.open.prompt()
	if s.text != "" {
		text = s.text + "\n" + text
	}
	c.show(text)
	return true
}

// Interrupt answers the open question with no, as ctrl-c does, and reports
// whether there was one.
func (c *Chat) Interrupt() bool {
	return c.Waiting() && c.Offer("no")
}
