package tools

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"mayi/pkg/approval"
)

var sessionName = regexp.MustCompile(`session ([a-z0-9]+);`)

// background starts a session and returns its id.
func (b *bench) background(t testing.TB, command string, more ...any) string {
	t.Helper()
	res := b.run(t, command, append([]any{"background", true}, more...)...)
	m := sessionName.FindStringSubmatch(res.ForLLM)
	if m == nil {
		t.Fatalf("no session: %+v", res)
	}
	return m[1]
}

// readUntil reads the session's output until it holds want.
func (b *bench) readUntil(t testing.TB, id, want string) string {
	t.Helper()
	got := ""
	for deadline := time.Now().Add(60 * time.Second); time.Now().Before(deadline); {
		got += b.act(t, "read", id).ForLLM
		if strings.Contains(got, want) {
			return got
		}
	}
	t.Fatalf("%q did not come in %.2000q", want, got)
	return ""
}

func TestSessionLife(t *testing.T) {
	b := newBench(t)
	if got := b.act(t, "list", "").ForLLM; got != "no sessions" {
		t.Errorf("list: %q", got)
	}
	id := b.background(t, "echo ready; read x; echo got $x; exit 4")
	b.readUntil(t, id, "ready")
	wantText(t, "list", b.act(t, "list", "").ForLLM, id, "running", "echo ready")
	wantText(t, "poll", b.act(t, "poll", id).ForLLM, "running")
	if got := b.act(t, "read", id).ForLLM; strings.Contains(got, "ready") {
		t.Errorf("read gives the same output twice: %q", got)
	}
	b.gate.mu.Lock()
	ended := strings.Join(b.gate.ended, "|")
	b.gate.mu.Unlock()
	if strings.Contains(ended, "exit code") {
		t.Errorf("the record says it ended: %s", ended)
	}
	res := b.act(t, "kill", id)
	wantText(t, "kill", res.ForLLM, "ended by kill", "signal terminated")
	wantText(t, "poll", b.act(t, "poll", id).ForLLM, "ended by kill")
	if res := b.act(t, "write", id, "data", "x\n"); !res.IsError {
		t.Errorf("an ended session takes input: %+v", res)
	}
	quick := b.background(t, "exit 5")
	b.readUntil(t, quick, "exit code 5")
}

func TestSessionsOfOthersAreNotFound(t *testing.T) {
	a, b := newBench(t), newBench(t)
	id := a.background(t, "bash")
	for _, action := range []string{"poll", "read", "kill", "write", "send-keys"} {
		res := b.act(t, action, id, "data", "true\n", "keys", "ctrl-c")
		if !res.IsError || !strings.Contains(res.ForLLM, "not found") {
			t.Errorf("%s: %+v", action, res)
		}
	}
	if got := b.act(t, "list", "").ForLLM; strings.Contains(got, id) {
		t.Errorf("list shows another's session: %q", got)
	}
	wantText(t, "poll", a.act(t, "poll", id).ForLLM, "running")
	if res := a.act(t, "poll", ""); !res.IsError {
		t.Error("no id is no error")
	}
}

func TestSessionTimeoutAndLimits(t *testing.T) {
	b := newBench(t, func(o *Options, _ *SessionOptions) { o.MaxSessions, o.MaxOutput = 1, 1000 })
	id := b.background(t, "sleep 300", "timeout", 1)
	if res := b.run(t, "sleep 300", "background", true); !res.IsError || !strings.Contains(res.ForLLM, "limit") {
		t.Errorf("more sessions than the limit: %+v", res)
	}
	b.readUntil(t, id, "timed out after 1s")
	for range 5 {
		id = b.background(t, "true")
		b.readUntil(t, id, "exit code 0")
	}
	if n := len(b.exec.all()); n > 2 {
		t.Errorf("%d ended sessions are kept", n)
	}
	id = b.background(t, "printf 'x%.0s' {1..50000}; echo; echo LAST")
	wantText(t, "read", b.readUntil(t, id, "LAST"), "bytes of output left out here")
}

func TestCloseEndsEverything(t *testing.T) {
	before := runtime.NumGoroutine()
	b := newBench(t)
	for _, args := range [][]any{{}, {"pty", true}} {
		b.background(t, "echo $$ >> pids; trap '' HUP; sleep 300 & echo $! >> pids; wait", args...)
	}
	b.background(t, "setsid bash -c 'echo $$ >> pids; exec sleep 300' & wait")
	pids := filepath.Join(b.root, "pids")
	for {
		got, _ := os.ReadFile(pids)
		if strings.Count(string(got), "\n") == 5 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if err := b.exec.Close(); err != nil {
		t.Fatal(err)
	}
	wantGone(t, pids, 5)
	if res := b.run(t, "true"); !res.IsError {
		t.Error("a closed tool runs")
	}
	if res := b.run(t, "true", "background", true); !res.IsError {
		t.Error("a closed tool starts a session")
	}
	for deadline := time.Now().Add(60 * time.Second); runtime.NumGoroutine() > before; {
		if time.Now().After(deadline) {
			buf := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// shells are the two kinds of session that a shell is typed into.
func shells(t *testing.T, f func(t *testing.T, b *bench, id string)) {
	for name, args := range map[string][]any{"pipe": nil, "terminal": {"pty", true}} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, func(_ *Options, so *SessionOptions) {
				so.Env = []string{"PATH=/usr/bin:/bin", "HOME=/nonexistent", "TERM=dumb", "LANG=C.UTF-8", "HISTFILE="}
			})
			f(t, b, b.background(t, "bash --norc", args...))
		})
	}
}

func TestTypedCommandsAreDecided(t *testing.T) {
	shells(t, func(t *testing.T, b *bench, id string) {
		res := b.act(t, "write", id, "data", "echo one-$((1+1))\n")
		if res.IsError {
			t.Fatalf("%+v", res)
		}
		b.readUntil(t, id, "one-2")

		b.gate.deny = "rm "
		for _, data := range []string{"rm -rf x\n", "touch ran\nrm -rf x\ntouch never\n", "touch ran2; rm x\n"} {
			res := b.act(t, "write", id, "data", data)
			if !res.IsError {
				t.Errorf("%q: %+v", data, res)
			}
		}
		res = b.act(t, "write", id, "data", "cat "+b.outside+"/x\n")
		wantText(t, "outside", res.ForLLM, "Permission needed", b.outside)
		b.act(t, "write", id, "data", "echo end-$((2+2))\n")
		out := b.readUntil(t, id, "end-4")
		if strings.Contains(out, "No such file") {
			t.Errorf("the shell saw what was refused: %q", out)
		}
		if _, err := os.Stat(filepath.Join(b.root, "ran")); err != nil {
			t.Error("the allowed line before the refused one was not typed")
		}
		for _, never := range []string{"never", "ran2"} {
			if _, err := os.Stat(filepath.Join(b.root, never)); err == nil {
				t.Errorf("%s was run", never)
			}
		}
	})
}

func TestTypedLinesAreHeldBack(t *testing.T) {
	shells(t, func(t *testing.T, b *bench, id string) {
		b.gate.deny = "forbidden"
		res := b.act(t, "write", id, "data", "touch for")
		wantText(t, "incomplete", res.ForLLM, "held back")
		res = b.act(t, "write", id, "data", "bidden\n")
		if !res.IsError {
			t.Fatalf("a line in two pieces got through: %+v", res)
		}
		b.act(t, "write", id, "data", "touch al")
		if res = b.act(t, "write", id, "data", "lowed\n"); res.IsError {
			t.Fatalf("%+v", res)
		}
		b.act(t, "write", id, "data", "echo end-$((2+2))\n")
		b.readUntil(t, id, "end-4")
		if _, err := os.Stat(filepath.Join(b.root, "allowed")); err != nil {
			t.Error("the line in two pieces was not run")
		}
		if _, err := os.Stat(filepath.Join(b.root, "forbidden")); err == nil {
			t.Error("the refused line was run")
		}
		if res = b.act(t, "write", id, "data", "echo a \\\n"); !res.IsError {
			t.Errorf("a line that goes on was typed: %+v", res)
		}
		b.gate.deny = "bidden"
		n := len(b.gate.begun)
		if res = b.act(t, "write", id, "data", "touch for\\\nbidden\n"); !res.IsError || len(b.gate.begun) != n {
			t.Errorf("a continued line got through: %+v", res)
		}
		if res = b.act(t, "write", id, "data", "echo \x00\n"); !res.IsError {
			t.Errorf("NUL was typed: %+v", res)
		}
	})
}

// TestTypedStateIsRemembered: what was typed before is decided along with what
// comes, where it may change what that means.
func TestTypedStateIsRemembered(t *testing.T) {
	shells(t, func(t *testing.T, b *bench, id string) {
		if res := b.act(t, "write", id, "data", "mkdir sub\ncd sub\n"); res.IsError {
			t.Fatalf("%+v", res)
		}
		b.act(t, "write", id, "data", "pwd\n")
		last := b.gate.begun[len(b.gate.begun)-1]
		if last.Request.Cwd != b.root+"/sub" || last.Call.Command != "pwd" {
			t.Errorf("decided %q in %q", last.Call.Command, last.Request.Cwd)
		}
		b.act(t, "write", id, "data", "alias ls='touch'\n")
		b.act(t, "write", id, "data", "cd ..\n")
		b.act(t, "write", id, "data", "ls x\n")
		last = b.gate.begun[len(b.gate.begun)-1]
		if last.Call.Command != "alias ls='touch'\ncd ..\nls x" || last.Request.Cwd != b.root+"/sub" {
			t.Errorf("decided %q in %q", last.Call.Command, last.Request.Cwd)
		}
	})
}

// TestInputForOtherPrograms: a program in front of the shell reads what is
// typed, so no rule for shell commands can allow it.
func TestInputForOtherPrograms(t *testing.T) {
	shells(t, func(t *testing.T, b *bench, id string) {
		b.gate.ask = "eval"
		b.act(t, "write", id, "data", "sleep 300\n")
		res := b.act(t, "write", id, "data", "touch ran\n")
		wantText(t, "type-ahead", res.ForLLM, "Permission needed")
		wantText(t, "for the person", res.ForUser, "type into sleep", "touch ran")
		if _, err := os.Stat(filepath.Join(b.root, "ran")); err == nil {
			t.Fatal("it was typed ahead")
		}
	})
	b := newBench(t)
	// A program that runs what it reads.
	id := b.background(t, `echo up; while read l; do eval "$l"; done`, "pty", true)
	b.readUntil(t, id, "up")
	b.gate.ask = "eval"
	res := b.act(t, "write", id, "data", "touch ran\n")
	wantText(t, "interpreter", res.ForLLM, "Permission needed")
	ask := NewRequestPermissionTool(b.cache, WithSession(b.session))
	q := ask.Execute(t.Context(), map[string]any{"path": b.root, "command": res.Verdict.Text})
	wantText(t, "question", q.ForUser, "type into bash", "touch ran")
	if _, err := ask.Answer(t.Context(), approval.Once); err != nil {
		t.Fatal(err)
	}
	if res = b.act(t, "write", id, "data", "touch ran\n"); res.IsError || res.refused() {
		t.Fatalf("after once: %+v", res)
	}
	for deadline := time.Now().Add(60 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(b.root, "ran")); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("what was allowed was not typed")
		}
	}
	if res = b.act(t, "write", id, "data", "touch ran\n"); !res.refused() {
		t.Errorf("once counted twice: %+v", res)
	}
}

func TestInputThatIsData(t *testing.T) {
	b := newBench(t)
	b.gate.ask = "eval"
	id := b.background(t, "cat")
	if res := b.act(t, "write", id, "data", "rm -rf x\n"); res.IsError || res.refused() {
		t.Fatalf("%+v", res)
	}
	b.readUntil(t, id, "rm -rf x")
	if res := b.act(t, "send-keys", id, "keys", "ctrl-d"); res.IsError {
		t.Fatalf("%+v", res)
	}
	b.readUntil(t, id, "exit code 0")
	// A shell that runs a script is no program that only reads data.
	id = b.background(t, "cat; bash")
	if res := b.act(t, "write", id, "data", "rm -rf x\n"); !res.refused() {
		t.Errorf("%+v", res)
	}
}

func TestDoctoredShellsHaveNoPrompt(t *testing.T) {
	b := newBench(t)
	b.gate.ask = "eval"
	for _, command := range []string{"X=1 bash", "alias ls=rm; bash", "bash -c bash", "bash; true", "env bash", "exec -a bash python3 -i"} {
		id := b.background(t, command)
		if res := b.act(t, "write", id, "data", "ls\n"); !res.refused() {
			t.Errorf("%s: %+v", command, res)
		}
		b.act(t, "kill", id)
	}
}

// TestAnotherProgramUnderTheShellsName: what a program calls itself is not
// what it is.
func TestAnotherProgramUnderTheShellsName(t *testing.T) {
	shells(t, func(t *testing.T, b *bench, id string) {
		b.act(t, "write", id, "data", "echo up-$((1+1)); exec -a bash cat\n")
		b.readUntil(t, id, "up-2")
		b.gate.ask = "eval"
		for deadline := time.Now().Add(60 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
			if exe := systemProgram(b.exec.sessions[id].proc.pid); exe == "cat" || exe == "coreutils" || exe == "busybox" {
				break
			}
		}
		if res := b.act(t, "write", id, "data", "touch x\n"); !res.refused() {
			t.Errorf("%+v", res)
		}
	})
}

func TestTypedAtATerminal(t *testing.T) {
	b := newBench(t, func(_ *Options, so *SessionOptions) {
		so.Env = []string{"PATH=/usr/bin:/bin", "HOME=/nonexistent", "TERM=dumb", "LC_ALL=C", "HISTFILE="}
	})
	id := b.background(t, "bash --norc", "pty", true)
	b.act(t, "write", id, "data", "touch once\n")
	for _, data := range []string{"\x1b[A\n", "a\x12b\n", "tou\tch x\n", "!!\n", "echo !t\n", "^once^twice\n", "true\n^once^twice\n", "echo \u00e9\n", "\x16\x03\n"} {
		if res := b.act(t, "write", id, "data", data); !res.IsError {
			t.Errorf("%q was typed: %+v", data, res)
		}
	}
	if res := b.act(t, "write", id, "data", "[ ! -f x ] && echo not-$((1+1))\r"); res.IsError {
		t.Errorf("%+v", res)
	}
	b.readUntil(t, id, "not-2")
}

func TestSendKeys(t *testing.T) {
	b := newBench(t, func(_ *Options, so *SessionOptions) {
		so.Env = []string{"PATH=/usr/bin:/bin", "HOME=/nonexistent", "TERM=dumb", "LANG=C.UTF-8", "HISTFILE="}
	})
	b.gate.deny = "forbidden"
	id := b.background(t, "bash --norc", "pty", true)
	if res := b.act(t, "send-keys", id, "keys", "echo key-$((1+1)) enter"); res.IsError {
		t.Fatalf("%+v", res)
	}
	b.readUntil(t, id, "key-2")
	for _, keys := range []string{"touch forbidden enter", "ctrl-x", "ctrl-r", "ctrl-o", "alt-x", ""} {
		if res := b.act(t, "send-keys", id, "keys", keys); !res.IsError {
			t.Errorf("%q: %+v", keys, res)
		}
	}
	// Calling up an earlier line and running it would run what nobody decided.
	b.act(t, "send-keys", id, "keys", "ctrl-c up")
	n := len(b.gate.begun)
	if res := b.act(t, "send-keys", id, "keys", "enter"); !res.IsError {
		t.Errorf("up, enter: %+v", res)
	}
	if res := b.act(t, "write", id, "data", "; touch x\n"); !res.IsError {
		t.Errorf("up, text: %+v", res)
	}
	if len(b.gate.begun) != n {
		t.Error("something was run")
	}
	b.act(t, "send-keys", id, "keys", "C-c")
	if res := b.act(t, "send-keys", id, "keys", "echo again-$((2+1)) Return"); res.IsError {
		t.Errorf("after ctrl-c: %+v", res)
	}
	b.readUntil(t, id, "again-3")
	// ctrl-c reaches the program in front.
	b.act(t, "write", id, "data", "sleep 300\n")
	b.act(t, "send-keys", id, "keys", "ctrl-c")
	if res := b.act(t, "write", id, "data", "echo back-$((3+1))\n"); res.IsError {
		t.Errorf("after ctrl-c: %+v", res)
	}
	b.readUntil(t, id, "back-4")
	// A held-back line can be taken back.
	b.act(t, "write", id, "data", "touch forbiddenx")
	b.act(t, "send-keys", id, "keys", "backspace")
	b.act(t, "send-keys", id, "keys", "ctrl-u")
	if b.exec.sessions[id].typed.line != "" {
		t.Error("ctrl-u leaves the held-back line")
	}
	if res := b.act(t, "send-keys", id, "keys", "ctrl-d"); res.IsError {
		t.Errorf("%+v", res)
	}
	b.readUntil(t, id, "exit code")
}

func TestProgramThatDoesNotRead(t *testing.T) {
	b := newBench(t)
	id := b.background(t, "exec sleep 300")
	res := b.act(t, "write", id, "data", strings.Repeat("x", maxTyped+1))
	wantText(t, "too much", res.ForLLM, "cannot be typed")
}
