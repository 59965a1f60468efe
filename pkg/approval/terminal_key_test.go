//go:build linux

package approval_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"mayi/pkg/approval"
)

// TestOneKeyAnswers: without Enter, and nothing but one of the keys does.
func TestOneKeyAnswers(t *testing.T) {
	for keys, want := range map[string]approval.Choice{
		"o": approval.Once, "s": approval.Session, "n": approval.No, "O": approval.Once,
		"\x03": approval.No, "\x04": approval.No,
	} {
		k := openKeyboard(t)
		done := ask(k.terminal(approval.TerminalOptions{Keys: true}), ls)
		k.await()
		k.press(keys)
		if a := answer(t, done); a.Choice != want || !a.Answered() {
			t.Errorf("%q: %+v, want %q", keys, a, want)
		}
	}
}

// TestLeavingIsNoAnswer: who goes away from a question that waits elsewhere has
// not refused it, also while choosing a rule.
func TestLeavingIsNoAnswer(t *testing.T) {
	for _, keys := range []string{"\x03", "\x04", "a\x03"} {
		k := openKeyboard(t)
		term := k.terminal(approval.TerminalOptions{Keys: true, Leave: true})
		type said struct {
			answer approval.Answer
			err    error
		}
		done := make(chan said, 1)
		go func() {
			a, err := term.Ask(context.Background(), ls)
			done <- said{a, err}
		}()
		for _, key := range strings.Split(keys, "") {
			k.await()
			k.press(key)
		}
		if s := <-done; !errors.Is(s.err, approval.ErrLeft) || s.answer.Answered() || s.answer.Choice != approval.No {
			t.Errorf("%q: %+v, %v", keys, s.answer, s.err)
		}
	}
}

func TestOtherKeysAnswerNothing(t *testing.T) {
	for _, keys := range []string{"y", "\r", " ", "x", "sudo ls", "session\r", "so", "ss", "\x1b[A", "ö", "?"} {
		k := openKeyboard(t)
		done := ask(k.terminal(approval.TerminalOptions{Keys: true}), ls)
		k.await()
		k.press(keys)
		k.await()
		select {
		case a := <-done:
			t.Errorf("%q was taken: %+v", keys, a)
			continue
		default:
		}
		k.press("n")
		if a := answer(t, done); a.Choice != approval.No {
			t.Errorf("after %q: %+v", keys, a)
		}
	}
}

// TestKeysTypedBefore are none, and a rule is still chosen by a line.
func TestKeysTypedBefore(t *testing.T) {
	k := openKeyboard(t)
	k.press("s\rs")
	pending(t, k)
	done := ask(k.terminal(approval.TerminalOptions{Keys: true, Dumb: true}), ls)
	k.await()
	select {
	case a := <-done:
		t.Fatalf("typed before the question, and taken: %+v", a)
	default:
	}
	k.press("a")
	k.await()
	k.press("1\r")
	k.await()
	k.press("user\r")
	k.await()
	k.press("yes\r")
	if a := answer(t, done); a.Choice != approval.Always || a.Rule == "" {
		t.Errorf("%+v", a)
	}
	if strings.Contains(k.shown(), "\x1b") {
		t.Error("a key left a sequence on the terminal")
	}
}
