package agent

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"mayi/pkg/approval"
)

// gutter stands before every line that a model or a tool wrote: only mayi's own
// lines begin at the left edge.
const gutter = "  "

// TextOptions say how a [TextRenderer] shows things.
type TextOptions struct {
	// Color allows colour. Callers pass false where NO_COLOR is set or the
	// output is no terminal.
	Color bool
	// Prompt stands before the person's next line; "" for none.
	Prompt string
}

// TextRenderer shows a conversation as plain text. Everything that a model or a
// tool wrote passes through approval.Visible, so that it cannot steer the
// terminal. Safe for concurrent use. Errors of the writer are ignored: a person
// who cannot see a question does not answer it.
type TextRenderer struct {
	opts TextOptions

	mu  sync.Mutex
	out io.Writer
	// column is false at the beginning of a line.
	column bool
	// held is the last, unfinished word of the model's text: look-alikes are
	// judged by the word.
	held string
}

// NewTextRenderer returns a renderer that writes to out.
func NewTextRenderer(out io.Writer, o TextOptions) *TextRenderer {
	return &TextRenderer{out: out, opts: o}
}

// Render implements [Renderer].
func (t *TextRenderer) Render(ev Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if ev.Kind == Text {
		t.stream(ev.Text)
		return
	}
	t.finish()
	switch ev.Kind {
	case Calling:
		t.block("→ ", "36", approval.Clip(callLine(ev.Tool, ev.Args, ev.Text), callText))
	case Returned:
		t.result(ev.Result)
	case Notice:
		t.block("· ", "2", approval.Visible(plain(ev.Text)))
	case Question:
		t.question(ev.Text)
	case TurnEnded:
		t.end(ev.Err)
	case Ready:
		t.write(t.opts.Prompt)
		// What the person types stands after the prompt and ends its line.
	}
}

// stream shows a piece of the model's text, up to its last whole word.
func (t *TextRenderer) stream(s string) {
	const longest = 512
	s = t.held + s
	// A carriage return waits for the newline that may follow it.
	cut := strings.LastIndexFunc(strings.TrimSuffix(s, "\r"), unicode.IsSpace)
	if cut < 0 && len(s) < longest {
		t.held = s
		return
	}
	if cut < 0 {
		cut = len(s) - 1
	}
	_, size := utf8.DecodeRuneInString(s[cut:])
	t.held = s[cut+size:]
	t.guttered(s[:cut+size])
}

// finish ends the line that the model's text is on.
func (t *TextRenderer) finish() {
	held := t.held
	t.held = ""
	t.guttered(held)
	if t.column {
		t.write("\n")
		t.column = false
	}
}

// guttered writes foreign text with the gutter before each line.
func (t *TextRenderer) guttered(s string) {
	for _, line := range strings.SplitAfter(approval.Visible(plain(s)), "\n") {
		if line == "" {
			continue
		}
		if !t.column {
			t.write(gutter)
		}
		t.write(line)
		t.column = !strings.HasSuffix(line, "\n")
	}
}

// result shows what a tool call came to.
func (t *TextRenderer) result(r Result) {
	text := r.ForUser
	if text == "" {
		text = r.ForLLM
	}
	text = strings.TrimRight(plain(text), "\n")
	if text == "" {
		text = "(no output)"
	}
	if r.IsError {
		t.block("✗ ", "31", preview(text))
		return
	}
	t.block(gutter, "", preview(text))
}

// question shows an asker's text as it is. Its last line is a prompt that the
// person's answer stands behind.
func (t *TextRenderer) question(s string) {
	if body, prompt, ok := cutLast(s); ok {
		t.write(t.paint("33;1", body) + "\n" + prompt)
		return
	}
	t.write(s)
	if !strings.HasSuffix(s, ": ") && !strings.HasSuffix(s, "\n") {
		t.write("\n")
	}
}

// end shows why a turn ended, where that is worth a word.
func (t *TextRenderer) end(err error) {
	switch {
	case err == nil:
	case errors.Is(err, context.Canceled), errors.Is(err, ErrInterrupted):
		t.block("· ", "2", "interrupted")
	default:
		t.block("✗ ", "31", approval.Visible(plain(err.Error())))
	}
}

// block writes lines of text, the first one behind a mark.
func (t *TextRenderer) block(mark, color, text string) {
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			mark = gutter
		}
		t.write(t.paint(color, mark+line) + "\n")
	}
}

// paint colours a text where colour is allowed.
func (t *TextRenderer) paint(code, s string) string {
	if !t.opts.Color || code == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (t *TextRenderer) write(s string) { _, _ = io.WriteString(t.out, s) }
