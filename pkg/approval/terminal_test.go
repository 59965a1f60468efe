//go:build linux

package approval_test

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"mayi/pkg/approval"
	"mayi/pkg/approval/approvaltest"
)

// keyboard is the person's side of a real terminal.
type keyboard struct {
	t    *testing.T
	side *os.File
	term *os.File

	mu      sync.Mutex
	seen    bytes.Buffer
	prompts int // prompts that were answered already
}

func openKeyboard(t *testing.T) *keyboard {
	t.Helper()
	side, term, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	side = interruptible(t, side)
	k := &keyboard{t: t, side: side, term: term}
	t.Cleanup(func() { term.Close(); side.Close() })
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := side.Read(buf)
			k.mu.Lock()
			k.seen.Write(buf[:n])
			k.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return k
}

// interruptible is f as a file whose Close ends a read that waits: else the
// reader would hold the person's side open, and hanging up would be none.
func interruptible(t *testing.T, f *os.File) *os.File {
	t.Helper()
	defer f.Close()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		t.Fatal(err)
	}
	return os.NewFile(uintptr(fd), f.Name())
}

func (k *keyboard) shown() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.seen.String()
}

// await waits until another prompt stands on the screen.
func (k *keyboard) await() {
	k.t.Helper()
	for end := time.Now().Add(60 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if k.countPrompts() > k.prompts {
			k.prompts++
			return
		}
	}
	k.t.Errorf("no prompt appeared; the screen shows\n%s", k.shown())
}

// countPrompts counts the prompts that were not given up by an expiry.
func (k *keyboard) countPrompts() int {
	text := k.shown()
	return strings.Count(text, "(? explains): ") + strings.Count(text, "or back: ") - strings.Count(text, "it was refused.")
}

// press sends keys without waiting for a prompt.
func (k *keyboard) press(keys string) {
	k.t.Helper()
	if _, err := k.side.WriteString(keys); err != nil {
		k.t.Error(err)
	}
}

func (k *keyboard) typeLine(line string) {
	k.await()
	k.press(line + "\r")
}

func (k *keyboard) terminal(o approval.TerminalOptions) *approval.Terminal {
	k.t.Helper()
	term, err := approval.NewTerminal(k.term, k.term, o)
	if err != nil {
		k.t.Fatal(err)
	}
	return term
}

func TestTerminalSuite(t *testing.T) {
	approvaltest.Asker(t, func(t *testing.T) approvaltest.Driver {
		k := openKeyboard(t)
		return approvaltest.Driver{Asker: k.terminal(approval.TerminalOptions{}), Type: k.typeLine, Shown: k.shown,
			Hangup: func() { k.side.Close() }}
	})
}

func TestTerminalIgnoresWhatWasTypedBefore(t *testing.T) {
	for name, mode := range map[string]func(fd int, on *unix.Termios){
		"line mode": func(int, *unix.Termios) {},
		"raw mode": func(fd int, on *unix.Termios) {
			on.Lflag &^= unix.ICANON | unix.ECHO
			if err := unix.IoctlSetTermios(fd, unix.TCSETS, on); err != nil {
				panic(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			k := openKeyboard(t)
			old, err := unix.IoctlGetTermios(int(k.term.Fd()), unix.TCGETS)
			if err != nil {
				t.Fatal(err)
			}
			mode(int(k.term.Fd()), old)
			k.press("once\rsession\ralways\ro")
			pending(t, k)
			done := ask(k.terminal(approval.TerminalOptions{}), ls)
			k.await()
			select {
			case a := <-done:
				t.Fatalf("typed before the question, and taken: %+v", a)
			default:
			}
			// What was typed ahead is not even glued to the answer.
			k.press("nce\r")
			k.await()
			k.press("session\r")
			if a := answer(t, done); a.Choice != approval.Session {
				t.Errorf("answer %+v, want session", a)
			}
		})
	}
}

// pending waits until the terminal has received the keys.
func pending(t *testing.T, k *keyboard) {
	t.Helper()
	for end := time.Now().Add(60 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if n, err := unix.IoctlGetInt(int(k.term.Fd()), unix.TIOCINQ); err == nil && n > 0 {
			return
		}
	}
	t.Fatal("the terminal received nothing")
}

// Several lines pasted at once: the first is no answer, and the others were
// typed before the next prompt.
func TestTerminalIgnoresTheRestOfAPaste(t *testing.T) {
	k := openKeyboard(t)
	done := ask(k.terminal(approval.TerminalOptions{}), ls)
	k.await()
	k.press("what is this\ronce\ralways\r")
	k.await()
	select {
	case a := <-done:
		t.Fatalf("the second line of a paste was taken: %+v", a)
	default:
	}
	k.press("no\r")
	if a := answer(t, done); a.Choice != approval.No {
		t.Errorf("answer %+v, want no", a)
	}
}

func TestTerminalKeys(t *testing.T) {
	for _, tt := range []struct {
		name, keys string
		want       approval.Choice
	}{
		{"ctrl-c", "\x03", approval.No},
		{"ctrl-c after a word", "once\x03", approval.No},
		{"ctrl-d", "\x04", approval.No},
		{"correcting with backspace", "no\x7f\x7fonce\r", approval.Once},
		{"ctrl-u", "session\x15once\r", approval.Once},
		{"word, ctrl-d is no Enter, then Enter", "on\x04ce\r", approval.Once},
		{"an arrow key spoils the word", "once\x1b[D\rno\r", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := openKeyboard(t)
			done := ask(k.terminal(approval.TerminalOptions{}), ls)
			k.await()
			k.press(tt.keys)
			if tt.want == "" {
				k.typeLine("no")
				tt.want = approval.No
			}
			a := answer(t, done)
			if a.Choice != tt.want || !a.Answered() {
				t.Errorf("answer %+v, want %q by somebody", a, tt.want)
			}
		})
	}
}

func TestTerminalIsPutBack(t *testing.T) {
	k := openKeyboard(t)
	fd := int(k.term.Fd())
	before, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	before.Lflag &^= unix.ICANON | unix.ECHO
	if err := unix.IoctlSetTermios(fd, unix.TCSETS, before); err != nil {
		t.Fatal(err)
	}
	done := ask(k.terminal(approval.TerminalOptions{}), ls)
	k.typeLine("once")
	answer(t, done)
	after, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	if *after != *before {
		t.Errorf("the terminal's mode is %+v, was %+v", after, before)
	}
}

func TestTerminalColor(t *testing.T) {
	for _, color := range []bool{false, true} {
		k := openKeyboard(t)
		done := ask(k.terminal(approval.TerminalOptions{Color: color, Dumb: true}), ls)
		k.typeLine("no")
		answer(t, done)
		if got := strings.Contains(k.shown(), "\x1b["); got != color {
			t.Errorf("Color: %v, but escapes shown: %v", color, got)
		}
	}
}

// TestAQuestionStandsOnAPlainTerminal: what ran before may have left a sequence
// open, in which the question would vanish, or colours that hide it.
func TestAQuestionStandsOnAPlainTerminal(t *testing.T) {
	for _, dumb := range []bool{false, true} {
		k := openKeyboard(t)
		done := ask(k.terminal(approval.TerminalOptions{Dumb: dumb}), ls)
		k.typeLine("no")
		answer(t, done)
		before, _, found := strings.Cut(k.shown(), "wants to run")
		if !found || strings.HasPrefix(before, "\x18") == dumb || strings.Contains(before, "\x1b[0m") == dumb {
			t.Errorf("dumb %v: before the question stands %q", dumb, before)
		}
	}
}

func TestTerminalNeedsATerminal(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if _, err := approval.NewTerminal(r, w, approval.TerminalOptions{}); !errors.Is(err, approval.ErrUnavailable) {
		t.Errorf("a pipe was taken for a person: %v", err)
	}
}

func TestAlwaysShowsTheRuleFirst(t *testing.T) {
	k := openKeyboard(t)
	done := ask(k.terminal(approval.TerminalOptions{}), ls)
	k.typeLine("always")
	k.await()
	for _, want := range []string{"command(ls)", "covers: every command that begins with", "does not cover: "} {
		if !strings.Contains(k.shown(), want) {
			t.Errorf("not shown before the rule is chosen: %q in\n%s", want, k.shown())
		}
	}
	k.press("\x03")
	if a := answer(t, done); a.Choice != approval.No {
		t.Errorf("ctrl-c while choosing a rule: %+v", a)
	}
}
