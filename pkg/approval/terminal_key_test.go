//go:build linux

package approval_test

import (
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
