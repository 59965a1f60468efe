package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

var (
	// ErrInterrupted is the cause with which a turn's context ends when the
	// person interrupts it.
	ErrInterrupted = errors.New("interrupted")
	// ErrAbandoned: the person left while a tool would not stop.
	ErrAbandoned = errors.New("left while a tool was still stopping")
)

// Chat takes a person's lines from an input to a conversation.
type Chat struct {
	Conversation *Conversation
	Renderer     Renderer
	// Take is offered each line of the person as it arrives, before anything
	// else and also while a turn runs; a line that it takes was an answer to a
	// question and goes nowhere else. It is called from one goroutine. nil
	// takes nothing.
	Take func(line string) bool
	// HangUp is called once when the input has ended: nobody will answer any
	// more. May be nil.
	HangUp func()
	// Break is called where an interrupt or the input's end comes while the
	// chat waits for a line: on a terminal, the prompt's line is not ended
	// then. It is called from one goroutine. May be nil.
	Break func()
	// Help is what /help shows, besides the commands of the chat itself.
	Help string
}

// Run reads in until it ends, the person leaves or ctx ends. Each receive from
// interrupts stops the running turn; the second one in a row leaves. Where Run
// returns before the input's end, a read of in may still be under way.
func (c *Chat) Run(ctx context.Context, in io.Reader, interrupts <-chan struct{}) error {
	if c.Renderer == nil {
		c.Renderer = discard{}
	}
	lines := newQueue()
	failed := make(chan error, 1)
	go func() {
		err := readLines(in, func(line string) {
			if c.Take == nil || !c.Take(line) {
				lines.put(line)
			}
		}, func(err error) { report(failed, err) })
		if c.HangUp != nil {
			c.HangUp()
		}
		if err != nil {
			report(failed, fmt.Errorf("reading the input failed: %w", err))
		}
		lines.close()
	}()
	return c.loop(ctx, lines, failed, interrupts)
}

// loop runs a turn for each line.
func (c *Chat) loop(ctx context.Context, lines *queue, failed <-chan error, interrupts <-chan struct{}) error {
	leaving, ready := false, false
	for {
		if line, ok, ended := lines.take(); ok {
			leaving, ready = false, false
			stop, err := c.line(ctx, line, lines, interrupts)
			if stop || err != nil {
				return err
			}
			continue
		} else if ended {
			select {
			case err := <-failed:
				c.notice(err.Error())
			default:
			}
			if ready {
				c.broken()
			}
			return nil
		}
		if !ready {
			ready = true
			c.Renderer.Render(Event{Kind: Ready})
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-lines.changed:
		case err := <-failed:
			ready = false
			c.notice(err.Error())
		case <-interrupts:
			c.broken()
			if leaving {
				return nil
			}
			leaving, ready = true, false
			c.notice("nothing is running; ctrl-c again, ctrl-d or /quit leaves")
		}
	}
}

// report hands on err without waiting: whoever reads the input must not be held
// up, since a question may be waiting for the next line. One error at a time is
// enough for the person.
func report(failed chan<- error, err error) {
	select {
	case failed <- err:
	default:
	}
}

// line handles one line that no question took.
func (c *Chat) line(ctx context.Context, line string, lines *queue, interrupts <-chan struct{}) (stop bool, err error) {
	switch strings.TrimSpace(line) {
	case "":
		return false, nil
	case "/quit", "/exit":
		return true, nil
	case "/help":
		c.notice(strings.TrimSpace("/quit or ctrl-d leaves, ctrl-c stops what is running, any other line goes to the model\n" + c.Help))
		return false, nil
	}
	return false, c.turn(ctx, line, lines, interrupts)
}

// turn runs one turn and listens for interrupts meanwhile. A failed turn has
// been shown and does not end the chat.
func (c *Chat) turn(ctx context.Context, line string, lines *queue, interrupts <-chan struct{}) error {
	turn, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan struct{})
	go func() {
		defer close(done)
		// The error was rendered at the turn's end.
		_ = c.Conversation.Turn(turn, line)
	}()
	interrupted, dropped := false, 0
	for {
		select {
		case <-done:
			if dropped > 0 {
				c.notice(fmt.Sprintf("what was typed and still waited (%d) was dropped", dropped))
			}
			return ctx.Err()
		case <-interrupts:
			if interrupted {
				return ErrAbandoned
			}
			interrupted = true
			// What was typed before the interrupt was meant to follow what it
			// stops; what is typed after it stands.
			dropped = lines.drop()
			cancel(ErrInterrupted)
		}
	}
}

func (c *Chat) broken() {
	if c.Break != nil {
		c.Break()
	}
}

func (c *Chat) notice(text string) { c.Renderer.Render(Event{Kind: Notice, Text: text}) }
