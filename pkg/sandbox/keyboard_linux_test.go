//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// TestATerminalIsNotHandedOn: a job whose input alone is a terminal reads what is
// typed, and has no other hold on it.
func TestATerminalIsNotHandedOn(t *testing.T) {
	can(t)
	ws, out := space(t)
	person, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	shows := &screen{}
	seen := make(chan struct{})
	go func() { _, _ = io.Copy(shows, person); close(seen) }()
	if _, err := person.WriteString("typed\n"); err != nil {
		t.Fatal(err)
	}
	ask := func(context.Context, Access) Answer {
		// The answer, which is not the job's to read.
		if _, err := person.WriteString("answer\n"); err != nil {
			t.Error(err)
		}
		for end := time.Now().Add(400 * time.Millisecond); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		}
		buf := make([]byte, 64)
		if n, err := tty.Read(buf); err != nil || string(buf[:n]) != "answer\n" {
			t.Errorf("the person's answer is %q (%v)", buf[:n], err)
		}
		return Once
	}
	r := run(t, spec(ws), Command{
		Stdin: tty, Env: append(env(), "OUT="+out), Ask: ask,
		Shell: "[ -t 0 ] && echo TTY; read -r x; echo got $x; (read -r y && echo stole $y) & cat $OUT/secret; echo FORGED >&0; echo FORGED > /proc/self/fd/0; stty -F /proc/self/fd/0 -echo && echo CHANGED; kill %1; true",
	})
	tty.Close()
	<-seen
	person.Close()
	if !strings.Contains(r.out, "got typed") || strings.Contains(r.out, "TTY") || strings.Contains(r.out, "stole") || strings.Contains(r.out, "CHANGED") {
		t.Errorf("%q", r.out)
	}
	if strings.Contains(shows.shown(), "FORGED") {
		t.Errorf("the terminal shows %q", shows.shown())
	}
}

// TestAPipeIsNotTurnedRound: what a job was given to read from, it cannot write to.
func TestAPipeIsNotTurnedRound(t *testing.T) {
	can(t)
	ws, _ := space(t)
	s := spec(ws)
	for name, l := range ways(t, &s, &Command{Stdin: os.Stdin}) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		got := try(t, l, s, Command{Stdin: r, Shell: "echo PLANTED > /proc/self/fd/0; echo PLANTED > /dev/stdin; cat <(echo back); echo on > /dev/stdout"})
		w.Close()
		if left, _ := io.ReadAll(r); len(left) > 0 || got.err == nil && !strings.Contains(got.out, "back\non") {
			t.Errorf("%s: %q was left in the pipe; %q", name, left, got.out)
		}
		r.Close()
	}
}

// TestAFileWithoutANameIsNotOpenedForMore than the descriptor that was handed in.
func TestAFileWithoutANameIsNotOpenedForMore(t *testing.T) {
	can(t)
	ws, out := space(t)
	name := out + "/gone"
	if err := os.WriteFile(name, []byte("as it was\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	r := run(t, spec(ws), Command{Stdin: f, Shell: "cat; echo PLANTED > /proc/self/fd/0; echo PLANTED 1<> /proc/self/fd/0; true"})
	b := make([]byte, 64)
	n, err := f.ReadAt(b, 0)
	if string(b[:n]) != "as it was\n" || err != io.EOF || !strings.Contains(r.out, "as it was") {
		t.Errorf("the file holds %q (%v); %s", b[:n], err, r.out)
	}
}
