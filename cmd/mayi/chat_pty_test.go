package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// person is somebody at a terminal: what they see, and what they type.
type person struct {
	t    *testing.T
	tty  *os.File
	mu   sync.Mutex
	seen strings.Builder
	read int
	done chan error
}

// sit starts mayi with args on a terminal of its own.
func sit(t *testing.T, home, project string, args ...string) *person {
	t.Helper()
	cmd := exec.Command("mayi", args...)
	cmd.Dir = project
	cmd.Env = []string{
		"HOME=" + home, "XDG_CONFIG_HOME=" + home + "/config", "XDG_STATE_HOME=" + home + "/state",
		"USER=dev", "TERM=xterm", "NO_COLOR=1", "PATH=" + os.Getenv("PATH"),
	}
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 50, Cols: 200})
	if err != nil {
		t.Fatal(err)
	}
	p := &person{t: t, tty: tty, done: make(chan error, 1)}
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := tty.Read(buf)
			p.mu.Lock()
			p.seen.Write(buf[:n])
			p.mu.Unlock()
			if err != nil {
				p.done <- cmd.Wait()
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		tty.Close()
	})
	return p
}

// patience bounds how long something is waited for; it decides no test.
const patience = 60 * time.Second

// sees waits until text appears after what was seen before, and returns all
// that came up to it.
func (p *person) sees(text string) string {
	p.t.Helper()
	for end := time.Now().Add(patience); ; {
		p.mu.Lock()
		rest := p.seen.String()[p.read:]
		if i := strings.Index(rest, text); i >= 0 {
			p.read += i + len(text)
			p.mu.Unlock()
			return rest[:i]
		}
		p.mu.Unlock()
		if time.Now().After(end) {
			p.t.Fatalf("waited for %q; on the screen:\n%s", text, p.seen.String())
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (p *person) types(line string) {
	p.t.Helper()
	if _, err := p.tty.WriteString(line + "\n"); err != nil {
		p.t.Fatal(err)
	}
}

// quits ends the program and waits for it.
func (p *person) quits() {
	p.t.Helper()
	p.types("/quit")
	p.ends()
}

func (p *person) ends() {
	p.t.Helper()
	select {
	case <-p.done:
	case <-time.After(patience):
		p.t.Fatalf("still running; on the screen:\n%s", p.seen.String())
	}
}

func room(t *testing.T) (home, project, desktop string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home, project, desktop = dir+"/home", dir+"/project", dir+"/desktop"
	for _, d := range []string{home, project, desktop} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(desktop+"/wanted.txt", []byte("text of wanted\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return home, project, desktop
}

const question = "(? explains)"

// TestChatAsksOverATerminal is the plan's manual test: once runs and asks
// again, session runs and does not, and nothing leaks into another session.
func TestChatAsksOverATerminal(t *testing.T) {
	home, project, desktop := room(t)
	p := sit(t, home, project, "chat")
	p.sees("> ")
	p.types("exec ls " + desktop)
	p.sees(question)
	p.types("once")
	p.sees("wanted.txt")
	p.sees("> ")

	p.types("exec ls " + desktop)
	p.sees(question)
	p.types("session")
	p.sees("wanted.txt")
	p.sees("> ")

	p.types("exec ls " + desktop)
	if between := p.sees("wanted.txt"); strings.Contains(between, question) {
		t.Fatalf("asked again after session:\n%s", between)
	}
	p.sees("> ")
	p.types("exec cat " + desktop + "/wanted.txt")
	if between := p.sees("text of wanted"); strings.Contains(between, question) {
		t.Fatalf("a session grant does not cover what is below:\n%s", between)
	}
	p.sees("> ")
	p.quits()

	other := sit(t, home, project, "chat")
	other.sees("> ")
	other.types("exec ls " + desktop)
	other.sees(question)
	other.types("no")
	if out := other.sees("> "); strings.Contains(out, "wanted.txt") {
		t.Fatalf("ran after a no:\n%s", out)
	}
	other.types("exec ls " + desktop)
	if out := other.sees("> "); strings.Contains(out, question) || strings.Contains(out, "wanted.txt") {
		t.Fatalf("asked again, or ran, after a no:\n%s", out)
	}
	other.quits()
}

// TestRunAsksOverATerminal: the same over mayi run, whose session is named.
func TestRunAsksOverATerminal(t *testing.T) {
	home, project, desktop := room(t)
	run := func(session, answer string) string {
		t.Helper()
		p := sit(t, home, project, "run", "--session", session, "ls "+desktop)
		if answer != "" {
			p.sees(question)
			p.types(answer)
		}
		p.ends()
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.seen.String()
	}
	for i := range 2 {
		if out := run("a", "once"); !strings.Contains(out, "wanted.txt") {
			t.Fatalf("once, %d: did not run:\n%s", i, out)
		}
	}
	if out := run("a", "s"); !strings.Contains(out, "wanted.txt") {
		t.Fatalf("session: did not run:\n%s", out)
	}
	if out := run("a", ""); !strings.Contains(out, "wanted.txt") || strings.Contains(out, question) {
		t.Fatalf("asked again after session, or did not run:\n%s", out)
	}
	if out := run("b", "no"); strings.Contains(out, "wanted.txt") {
		t.Fatalf("ran after a no, or a grant leaked:\n%s", out)
	}
	if out := run("b", ""); strings.Contains(out, "wanted.txt") || strings.Contains(out, question) {
		t.Fatalf("asked again, or ran, after a no:\n%s", out)
	}
}

// TestWhatIsTypedAheadAnswersNothing: a line that was typed before the
// question appeared is no answer to it.
func TestWhatIsTypedAheadAnswersNothing(t *testing.T) {
	home, project, desktop := room(t)
	p := sit(t, home, project, "run", "sleep 0; ls "+desktop)
	p.types("session")
	p.sees(question)
	time.Sleep(300 * time.Millisecond) // for the answer that must not come
	p.mu.Lock()
	ran := strings.Contains(p.seen.String(), "wanted.txt")
	p.mu.Unlock()
	if ran {
		t.Fatal("a line that was typed ahead answered the question")
	}
	p.types("no")
	p.ends()
}

// TestGarbageNeverGrants: whatever is no clear answer is asked again.
func TestGarbageNeverGrants(t *testing.T) {
	home, project, desktop := room(t)
	p := sit(t, home, project, "run", "ls "+desktop)
	for _, line := range []string{"", "yes", "sure, go ahead", "oonce", "?", "1"} {
		p.sees(question)
		p.types(line)
	}
	p.sees(question)
	p.types("n")
	p.ends()
	if strings.Contains(p.seen.String(), "wanted.txt") {
		t.Fatalf("ran:\n%s", p.seen.String())
	}
}

// TestNoAskAsksNobody, not even somebody who sits at the terminal.
func TestNoAskAsksNobody(t *testing.T) {
	home, project, desktop := room(t)
	p := sit(t, home, project, "run", "--no-ask", "ls "+desktop)
	p.ends()
	p.mu.Lock()
	defer p.mu.Unlock()
	if out := p.seen.String(); strings.Contains(out, question) || strings.Contains(out, "wanted.txt") || !strings.Contains(out, "not run") {
		t.Fatalf("on the screen:\n%s", out)
	}
}
