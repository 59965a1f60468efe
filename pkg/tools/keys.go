package tools

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"mayi/pkg/approval"
)

// key is a key that may be sent without a decision.
type key struct {
	code string
	// editing: at a shell's prompt it may bring text into the line that
	// nobody decided on (history, completion).
	editing bool
	// clears: it empties the shell's line.
	clears bool
}

func keyNames() map[string]key {
	return map[string]key{
		"ctrl-c": {code: "\x03", clears: true}, "ctrl-d": {code: "\x04"},
		"ctrl-l": {code: "\x0c"}, "ctrl-u": {code: "\x15", clears: true},
		"ctrl-z": {code: "\x1a", clears: true}, "ctrl-\\": {code: "\x1c", clears: true},
		"enter": {code: "\r"}, "tab": {code: "\t", editing: true},
		"esc": {code: "\x1b", editing: true}, "backspace": {code: "\x7f"},
		"up": {code: "\x1b[A", editing: true}, "down": {code: "\x1b[B", editing: true},
		"right": {code: "\x1b[C"}, "left": {code: "\x1b[D"},
		"home": {code: "\x1b[H"}, "end": {code: "\x1b[F"},
		"pageup": {code: "\x1b[5~", editing: true}, "pagedown": {code: "\x1b[6~", editing: true},
		"delete": {code: "\x1b[3~"},
	}
}

// keyOf reads a key's name in its usual spellings.
func keyOf(word string) (string, key, bool) {
	n := strings.ToLower(word)
	if rest, ok := strings.CutPrefix(n, "c-"); ok {
		n = "ctrl-" + rest
	}
	n = strings.Replace(n, "ctrl+", "ctrl-", 1)
	switch n {
	case "return":
		n = "enter"
	case "escape":
		n = "esc"
	case "pgup":
		n = "pageup"
	case "pgdn":
		n = "pagedown"
	}
	k, ok := keyNames()[n]
	return n, k, ok
}

// sendKeys sends named keys, and types the other words.
func (t *ExecTool) sendKeys(ctx context.Context, args map[string]any) *ToolResult {
	s, res := t.typable(text(args, "sessionId"))
	if res != nil {
		return res
	}
	words := strings.Fields(text(args, "keys"))
	if len(words) == 0 {
		return ErrorResult("keys is missing: name keys such as ctrl-c, enter or up; there are " + strings.Join(slices.Sorted(maps.Keys(keyNames())), ", "))
	}
	s.typed.mu.Lock()
	defer s.typed.mu.Unlock()
	typed := ""
	for _, w := range words {
		name, k, ok := keyOf(w)
		if !ok {
			if strings.HasPrefix(name, "ctrl-") || strings.HasPrefix(name, "alt-") || strings.HasPrefix(name, "m-") {
				return ErrorResult(fmt.Sprintf("the key %q cannot be sent; there are %s", approval.Line(w), strings.Join(slices.Sorted(maps.Keys(keyNames())), ", ")))
			}
			if typed != "" {
				typed += " "
			}
			typed += w
			continue
		}
		if name == "enter" && (typed != "" || s.typed.line != "") {
			typed += "\n"
		}
		if typed != "" {
			if res := t.typeText(ctx, s, typed); res.IsError || res.refused() {
				return res
			}
			sent := strings.HasSuffix(typed, "\n")
			typed = ""
			if sent {
				continue
			}
		}
		if res := s.press(t.opt.Shell, name, k); res != nil {
			return res
		}
	}
	if typed != "" {
		return t.typeText(ctx, s, typed)
	}
	return textResult("keys sent; read shows what comes of it")
}

// refused reports whether the call waits for a permission.
func (r *ToolResult) refused() bool { return r.Verdict != nil && r.Verdict.Promptable }

// press sends one key. At the prompt of the session's own shell, enter runs
// the line: what is in it must have been decided.
func (s *shellSession) press(shell, name string, k key) *ToolResult {
	ty := &s.typed
	if ty.shell {
		s.awaitReader(shell)
		switch {
		case name == "enter" && ty.unknown:
			return ErrorResult("enter would run a line that nobody decided on, since keys were sent that call up earlier commands or complete words; send ctrl-c and write the whole command")
		case name == "backspace" && ty.line != "":
			r := []rune(ty.line)
			ty.line = string(r[:len(r)-1])
			return nil
		case k.editing && ty.line != "":
			return ErrorResult(fmt.Sprintf("%s cannot act on the line %q, which is held back until it is complete; write the whole command", name, approval.Line(ty.line)))
		case k.editing:
			ty.unknown = true
		case k.clears:
			// What was on its way is thrown away with the line.
			ty.line, ty.unknown, ty.sentAt, ty.due = "", false, time.Time{}, 0
		}
	}
	if s.proc.tty == nil {
		return s.pressPipe(name)
	}
	if err := s.send(k.code); err != nil {
		return ErrorResult(err.Error())
	}
	return nil
}

// awaitReader waits a moment until either the shell reads its prompt or a
// program has taken its place; a key sent in between can be lost, or reach the
// wrong one.
func (s *shellSession) awaitReader(shell string) {
	for end := time.Now().Add(arriveWait); s.proc.running() && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		f := frontOf(s, shell)
		if s.arrived() && (f.prompt || f.other) {
			return
		}
	}
}

// pressPipe is for sessions without a terminal, where only a few keys mean
// anything.
func (s *shellSession) pressPipe(name string) *ToolResult {
	switch name {
	case "enter":
		if err := s.send("\n"); err != nil {
			return ErrorResult(err.Error())
		}
		return nil
	case "ctrl-c":
		s.proc.signal(sigInt)
		return nil
	case "ctrl-d":
		if err := s.proc.in.Close(); err != nil {
			return ErrorResult("the input is closed already")
		}
		return nil
	}
	return ErrorResult(fmt.Sprintf("%s means nothing to a session without a terminal; start it with pty=true", name))
}
