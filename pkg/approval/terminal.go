package approval

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// Terminal asks at a terminal. It opens no question for what was typed before:
// the input queue is emptied after the question has appeared and before the
// prompt does. Several questions wait for one another. Safe for concurrent use
// as long as nobody else reads from the terminal meanwhile.
type Terminal struct {
	in    *os.File
	out   io.Writer
	color bool
	who   string
	keys  bool
	leave bool
	dumb  bool
	turn  turn
	close func() error
}

// TerminalOptions sets what [NewTerminal] cannot find out.
type TerminalOptions struct {
	// Color allows colour. Callers pass false where NO_COLOR is set or out is
	// no terminal.
	Color bool
	// Who is the name for the record; "" is "the person at the terminal".
	Who string
	// Keys: the choice is one key without Enter, for a place where nothing but
	// questions is typed. Several keys at once, as a paste is, are no answer.
	Keys bool
	// Leave: ctrl-c, ctrl-d and the end of the terminal leave the question open,
	// for a place where it waits whether or not anybody looks: Ask fails with
	// [ErrLeft].
	Leave bool
	// Dumb: the terminal knows no control sequences, so none are written. For any
	// other, a question begins by taking back what a program has made of it.
	Dumb bool
}

// NewTerminal returns an asker that writes to out and reads lines from in. It
// fails with [ErrUnavailable] where in is no terminal: a pipe is not a person.
func NewTerminal(in *os.File, out io.Writer, o TerminalOptions) (*Terminal, error) {
	if !isTerminal(in) {
		return nil, fmt.Errorf("approval: %s is no terminal: %w", in.Name(), ErrUnavailable)
	}
	t := &Terminal{in: in, out: out, color: o.Color, who: o.Who, keys: o.Keys, leave: o.Leave, dumb: o.Dumb, turn: newTurn()}
	if t.who == "" {
		t.who = "the person at the terminal"
	}
	return t, nil
}

// OpenTerminal returns an asker on the process's own terminal, whatever its
// standard streams are. It fails with [ErrUnavailable] where there is none.
func OpenTerminal(o TerminalOptions) (*Terminal, error) {
	f, err := openTTY()
	if err != nil {
		return nil, fmt.Errorf("approval: no terminal to ask at (%w): %w", err, ErrUnavailable)
	}
	t, err := NewTerminal(f, f, o)
	if err != nil {
		f.Close()
		return nil, err
	}
	t.close = f.Close
	return t, nil
}

// Close closes a terminal that [OpenTerminal] opened.
func (t *Terminal) Close() error {
	if t.close == nil {
		return nil
	}
	return t.close()
}

// Ask shows the question and waits for the answer. Ctrl-c, ctrl-d and the end
// of the terminal are no, where [TerminalOptions] do not say that they leave.
func (t *Terminal) Ask(ctx context.Context, q Question) (Answer, error) {
	limited, cancel := untilExpiry(ctx, q)
	defer cancel()
	if err := t.turn.take(limited); err != nil {
		return unanswered(ctx, q)
	}
	defer t.turn.give()
	if limited.Err() != nil {
		return unanswered(ctx, q)
	}
	restore, err := lineMode(t.in)
	if err != nil {
		return Denied("the terminal could not be used"), fmt.Errorf("approval: prepare the terminal: %w", err)
	}
	defer restore()
	a, err := t.talk(limited, q)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		a, err = unanswered(ctx, q)
		fmt.Fprintf(t.out, "\n%s; it was refused.\n", a.Note)
	}
	return Strict(q, a), err
}

// talk carries the dialog on until it ends. Its error is a denial.
func (t *Terminal) talk(ctx context.Context, q Question) (Answer, error) {
	d := &dialog{q: q}
	text := Describe(q, time.Now())
	if f, ok := t.out.(*os.File); ok && !t.dumb && isTerminal(f) {
		text = plainTerminal + text
	}
	for {
		if err := t.write(text); err != nil {
			return Denied("the question could not be shown"), err
		}
		// Typed before the prompt stands there: not an answer to it.
		if err := flushInput(t.in); err != nil {
			return Denied("the terminal could not be used"), fmt.Errorf("approval: empty the input queue: %w", err)
		}
		line, err := t.next(ctx, d)
		switch {
		case t.leave && (errors.Is(err, errInterrupt) || errors.Is(err, io.EOF)):
			t.write("\nleft open\n")
			return Denied("the question was left open"), ErrLeft
		case errors.Is(err, errInterrupt), errors.Is(err, io.EOF):
			t.write("\nno\n")
			return Answer{Choice: No, By: t.who}, nil
		case err != nil:
			return Denied("the terminal could not be read or written"), err
		}
		s := d.feed(line)
		if s.done {
			s.answer.By = t.who
			return s.answer, nil
		}
		text = s.text
		if text != "" {
			text += "\n"
		}
	}
}

// plainTerminal ends a sequence that a program has left open, which would
// swallow the question, and takes back what hides or changes text: colours and
// what they stand for, character sets, margins, insertion. What stands to the
// right and below goes.
const plainTerminal = "\x18\x1b\\\x1b[!p\x1b[0m\x1b(B\x1b)B\x0f\x1b[?7h\x1b]104\x1b\\\x1b]110\x1b\\\x1b]111\x1b\\\x1b[J"

// next prompts for the dialog's next word and reads it: a key where that is
// enough, else a line.
func (t *Terminal) next(ctx context.Context, d *dialog) (string, error) {
	if !t.keys || d.state != atChoice {
		if err := t.write(t.bold(d.prompt())); err != nil {
			return "", err
		}
		return readLine(ctx, t.in)
	}
	if err := t.write(t.bold("[o]nce, [s]ession, [a]lways or [n]o (? explains): ")); err != nil {
		return "", err
	}
	key, err := readKey(ctx, t.in)
	if err != nil {
		return "", err
	}
	return key, t.write(Line(key) + "\n")
}

// write prints text that is already visible.
func (t *Terminal) write(text string) error {
	if _, err := io.WriteString(t.out, text); err != nil {
		return fmt.Errorf("approval: write to the terminal: %w", err)
	}
	return nil
}

func (t *Terminal) bold(s string) string {
	if !t.color {
		return s
	}
	return "\x1b[1m" + s + "\x1b[0m"
}

var errInterrupt = errors.New("interrupted")

// ErrLeft: the person went away from the question; see [TerminalOptions].
var ErrLeft = errors.New("approval: the question was left open")
