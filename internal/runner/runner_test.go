//go:build unix

package runner

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

func run(t *testing.T, ctx context.Context, text string) (int, string) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	got := make(chan string, 1)
	go func() { b, _ := io.ReadAll(r); got <- string(b) }()
	code, err := Run(ctx, Command{Text: text, Dir: t.TempDir(), Env: os.Environ(), Stdin: null, Stdout: w, Stderr: w})
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	return code, <-got
}

func TestExitCodesAreThoseOfAShell(t *testing.T) {
	for text, want := range map[string]int{
		"exit 0": 0, "exit 7": 7, "kill -TERM $$": 128 + int(syscall.SIGTERM), "no-such-program-here": 127,
		"kill -KILL $$": 137,
	} {
		if got, _ := run(t, context.Background(), text); got != want {
			t.Errorf("%q: exit code %d, want %d", text, got, want)
		}
	}
}

func TestWhatIsLeftBehindEndsWithTheCommand(t *testing.T) {
	_, out := run(t, context.Background(), "sleep 300 & echo $!")
	pid := strings.TrimSpace(out)
	for range 100 {
		b, err := os.ReadFile("/proc/" + pid + "/stat")
		if err != nil || strings.Contains(string(b), ") Z ") {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("process %s is still running", pid)
}

func TestCancellingEndsACommandThatIgnoresTERM(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(200*time.Millisecond, cancel)
	if code, _ := run(t, ctx, "trap '' TERM; while :; do sleep 0.1; done"); code != 137 {
		t.Fatalf("exit code %d, want 137", code)
	}
}

// TestOneWriterForBothStreams: it is written to by one goroutine, in order.
func TestOneWriterForBothStreams(t *testing.T) {
	for range 20 {
		var both bytes.Buffer
		code, err := Run(context.Background(), Command{
			Text: "for i in 1 2 3; do echo out$i; echo err$i >&2; done", Dir: t.TempDir(), Env: os.Environ(), Stdout: &both, Stderr: &both,
		})
		if want := "out1\nerr1\nout2\nerr2\nout3\nerr3\n"; code != 0 || err != nil || both.String() != want {
			t.Fatalf("code %d, %v, %q", code, err, both.String())
		}
	}
}
