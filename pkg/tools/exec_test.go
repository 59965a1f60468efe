package tools

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mayi/pkg/approval"
	"mayi/pkg/permissions"
)

func TestExecRuns(t *testing.T) {
	b := newBench(t)
	write(t, filepath.Join(b.root, "sub", "f"), "x")
	for _, tt := range []struct {
		name, command string
		want          []string
		isError       bool
	}{
		{"output", "echo out; echo err >&2", []string{"out\nerr\n", "[exit code 0]"}, false},
		{"no output", "true", []string{"(no output)", "[exit code 0]"}, false},
		{"exit code", "exit 7", []string{"[exit code 7]"}, true},
		{"signal", "kill -9 $$", []string{"[ended by signal killed]"}, true},
		{"not found", "no-such-program-x", []string{"not found", "[exit code 127]"}, true},
		{"standard input is empty", "cat", []string{"(no output)", "[exit code 0]"}, false},
		{"working directory", "pwd -P; echo $PWD", []string{b.root + "\n" + b.root}, false},
		{"bytes that are no text", `printf 'a\377b'`, []string{"a\uFFFDb"}, false},
		{"is bash", "[[ -n $BASH_VERSION ]] && echo yes", []string{"yes"}, false},
		{"no terminal to reach the person by", "(echo once >/dev/tty) 2>/dev/null && echo reached || echo unreachable", []string{"unreachable"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res := b.run(t, tt.command)
			wantText(t, "ForLLM", res.ForLLM, tt.want...)
			if res.IsError != tt.isError {
				t.Errorf("IsError = %v in %q", res.IsError, res.ForLLM)
			}
		})
	}
	if res := b.run(t, "pwd -P", "cwd", "sub"); !strings.Contains(res.ForLLM, b.root+"/sub\n") {
		t.Errorf("cwd: %q", res.ForLLM)
	}
	if res := b.run(t, "test -t 0 && test -t 1 && echo terminal", "pty", true); !strings.Contains(res.ForLLM, "terminal") {
		t.Errorf("pty: %q", res.ForLLM)
	}
}

func TestExecEnvironment(t *testing.T) {
	b := newBench(t, func(_ *Options, so *SessionOptions) {
		rc := filepath.Join(t.TempDir(), "rc")
		write(t, rc, "echo PLANTED\n")
		so.Env = []string{"PATH=/usr/bin:/bin", "MAYI_SECRET=hush", "BASH_ENV=" + rc, "ENV=" + rc, "KEPT=yes",
			"BASH_FUNC_ls%%=() { echo PLANTED; }", "SHELLOPTS=xtrace", "CDPATH=/", "PROMPT_COMMAND=echo PLANTED", "broken", "=x"}
	})
	res := b.run(t, "env; ls; cd etc 2>/dev/null || echo stayed")
	wantText(t, "env", res.ForLLM, "KEPT=yes", "stayed")
	for _, bad := range []string{"hush", "PLANTED", "xtrace"} {
		if strings.Contains(res.ForLLM, bad) {
			t.Errorf("%q came through: %s", bad, res.ForLLM)
		}
	}
}

func TestExecArgumentsThatDoNotFit(t *testing.T) {
	b := newBench(t)
	link := filepath.Join(b.root, "link")
	if err := os.Symlink(b.outside, link); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		args map[string]any
		want string
	}{
		{"no command", map[string]any{}, "command is missing"},
		{"blank command", map[string]any{"command": " \n"}, "command is missing"},
		{"unknown action", map[string]any{"action": "fly"}, "no action"},
		{"directory outside", map[string]any{"command": "true", "cwd": b.outside}, "outside of the workspace"},
		{"directory with the same prefix", map[string]any{"command": "true", "cwd": b.root + "2"}, "outside of the workspace"},
		{"directory that climbs", map[string]any{"command": "true", "cwd": "../"}, "outside of the workspace"},
		{"directory behind a link", map[string]any{"command": "true", "cwd": "link"}, "outside of the workspace"},
		{"directory that is not there", map[string]any{"command": "true", "cwd": "none"}, "working directory"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res := b.exec.Execute(t.Context(), tt.args)
			wantText(t, "ForLLM", res.ForLLM, tt.want)
			if !res.IsError {
				t.Error("not an error")
			}
		})
	}
	none := newBench(t, func(o *Options, _ *SessionOptions) { o.Roots = nil })
	if res := none.run(t, "true"); !res.IsError {
		t.Errorf("an empty workspace list runs: %q", res.ForLLM)
	}
}

// TestExecNeedsPermission is the first seed's protocol: refused with the
// path, asked by request_permission, run by the second call.
func TestExecNeedsPermission(t *testing.T) {
	b := newBench(t)
	write(t, filepath.Join(b.outside, "secret.txt"), "s")
	command := "ls " + b.outside
	ctx := t.Context()

	res := b.run(t, command)
	wantText(t, "ForLLM", res.ForLLM, "Permission needed", b.outside, "request_permission", `path="`+b.outside+`"`)
	wantText(t, "ForUser", res.ForUser, "Permission needed", "read "+b.outside, command)
	if len(b.gate.begun) != 0 || strings.Contains(res.ForLLM, "secret.txt") {
		t.Fatal("it ran")
	}

	ask := NewRequestPermissionTool(b.cache, WithSession(b.session))
	args := map[string]any{"path": b.outside, "command": command}
	q := ask.Execute(ctx, args)
	if !q.Pending {
		t.Fatalf("no question: %+v", q)
	}
	wantText(t, "question", q.ForUser, command, b.outside, "once", "session", "no")
	if res := b.run(t, command); !strings.Contains(res.ForLLM, "Permission needed") {
		t.Fatalf("it ran before the answer: %q", res.ForLLM)
	}
	if got, err := ask.Answer(ctx, approval.Once); err != nil || got.IsError {
		t.Fatalf("once: %+v, %v", got, err)
	}
	if res := b.run(t, command+"/"); !strings.Contains(res.ForLLM, "Permission needed") {
		t.Fatalf("once for one call let another run: %q", res.ForLLM)
	}
	if res := b.run(t, command); !strings.Contains(res.ForLLM, "secret.txt") {
		t.Fatalf("after once: %q", res.ForLLM)
	}
	if res := b.run(t, command); !strings.Contains(res.ForLLM, "Permission needed") {
		t.Fatalf("once ran twice: %q", res.ForLLM)
	}

	ask.Execute(ctx, args)
	if _, err := ask.Answer(ctx, approval.Session); err != nil {
		t.Fatal(err)
	}
	for _, c := range []string{command, command + "/", "cat " + b.outside + "/secret.txt"} {
		if res := b.run(t, c); res.IsError || strings.Contains(res.ForLLM, "Permission needed") {
			t.Fatalf("after session %q: %q", c, res.ForLLM)
		}
	}
	if res := ask.Execute(ctx, args); res.Pending || !strings.Contains(res.ForLLM, "allowed now") {
		t.Errorf("asked although allowed: %+v", res)
	}
}

func TestExecDenied(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	command := "ls " + b.outside
	ask := NewRequestPermissionTool(b.cache, WithSession(b.session))
	b.run(t, command)
	ask.Execute(ctx, map[string]any{"path": b.outside})
	got, err := ask.Answer(ctx, "anything else")
	if err != nil || !got.IsError {
		t.Fatalf("an unclear answer: %+v, %v", got, err)
	}
	for _, c := range []string{command, "cat " + b.outside + "/below"} {
		res := b.run(t, c)
		if !res.IsError {
			t.Errorf("%q is no error after the denial: %q", c, res.ForLLM)
		}
		wantText(t, c, res.ForLLM, "denied")
	}
	res := ask.Execute(ctx, map[string]any{"path": b.outside, "command": command})
	if res.Pending || !res.IsError {
		t.Errorf("the same question is asked again: %+v", res)
	}
	if _, err := ask.Answer(ctx, approval.Session); err == nil {
		t.Error("an answer was taken without a question")
	}
}

func TestExecEveryPathIsChecked(t *testing.T) {
	b := newBench(t)
	other := canonicalDir(t)
	b.cache.Grant(b.outside, "session")
	res := b.run(t, "cat "+b.outside+"/a "+other+"/b")
	wantText(t, "ForLLM", res.ForLLM, "Permission needed", other)
	if strings.Contains(res.ForLLM, `path="`+b.outside) {
		t.Errorf("asks for what was granted: %q", res.ForLLM)
	}
	res = b.run(t, "cat /nowhere/a "+other+"/b")
	wantText(t, "both paths", res.ForLLM, "/nowhere/a", other+"/b")
}

func TestExecAskPermissionOff(t *testing.T) {
	b := newBench(t, func(o *Options, _ *SessionOptions) { o.AskPermission = false })
	res := b.run(t, "ls "+b.outside)
	if !res.IsError || strings.Contains(res.ForLLM, "request_permission") {
		t.Errorf("asks although it is off: %+v", res)
	}
	wantText(t, "ForLLM", res.ForLLM, "tools.exec.ask_permission", b.outside)
}

func TestExecCheckPermission(t *testing.T) {
	b := newBench(t)
	for _, tt := range []struct{ command, want string }{
		{"ls /desktop", needsPermission},
		{"ls", granted},
		{"ls " + b.root + "/a", granted},
		{"ls " + b.root + "-evil", needsPermission},
		{"ls " + b.root + "/../x", needsPermission},
		{"rm -rf /", refused},
	} {
		if _, got, _ := b.exec.checkPermission(t.Context(), wanted{command: tt.command, dir: b.root}); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.command, got, tt.want)
		}
	}
}

func TestExecCommandQuestionGoesToTheAsker(t *testing.T) {
	var asked []approval.Question
	answer := approval.No
	b := newBench(t, func(_ *Options, so *SessionOptions) {
		so.Asker = askerFunc(func(q approval.Question) approval.Choice {
			asked = append(asked, q)
			return answer
		})
	})
	b.gate.ask = "make"
	res := b.run(t, "make x")
	if !res.IsError || len(asked) != 1 || asked[0].Command != "make x" {
		t.Fatalf("%+v after %+v", res, asked)
	}
	if res = b.run(t, "make x"); !res.IsError || len(asked) != 1 {
		t.Errorf("asked again after the no: %d questions, %+v", len(asked), res)
	}
	answer = approval.Once
	if res = b.run(t, "echo make; true"); res.IsError || !strings.Contains(res.ForLLM, "make\n") {
		t.Errorf("after once: %+v", res)
	}
	// A path goes the way of request_permission, even where a person is near.
	n := len(asked)
	if res = b.run(t, "ls "+b.outside); len(asked) != n || !strings.Contains(res.ForLLM, "request_permission") {
		t.Errorf("%+v", res)
	}
}

func TestExecRemote(t *testing.T) {
	b := newBench(t, func(_ *Options, so *SessionOptions) { so.Remote = true })
	if res := b.run(t, "true"); !res.IsError || !strings.Contains(res.ForLLM, "allow_remote") {
		t.Errorf("%+v", res)
	}
	b = newBench(t, func(o *Options, so *SessionOptions) { so.Remote, o.AllowRemote = true, true })
	if res := b.run(t, "true"); res.IsError {
		t.Errorf("%+v", res)
	}
	if !b.gate.begun[0].Request.Remote {
		t.Error("the gate was not told that the caller is remote")
	}
}

func TestExecGateFailures(t *testing.T) {
	b := newBench(t)
	b.gate.refuse = errors.New("the record is full")
	mark := filepath.Join(b.root, "ran")
	for _, args := range [][]any{nil, {"background", true}} {
		if res := b.run(t, "touch ran", args...); !res.IsError || !strings.Contains(res.ForLLM, "the record is full") {
			t.Errorf("%+v", res)
		}
	}
	if _, err := os.Stat(mark); err == nil {
		t.Fatal("it ran without a record")
	}
	s := NewSession(SessionOptions{Cwd: b.root})
	tool, err := NewExecTool(Options{Session: s, Roots: []string{b.root}})
	if err != nil {
		t.Fatal(err)
	}
	if res := tool.Execute(t.Context(), map[string]any{"command": "touch ran"}); !res.IsError {
		t.Error("it runs without a gate")
	}
	if _, err := os.Stat(mark); err == nil {
		t.Fatal("it ran without a gate")
	}
	if _, err := NewExecTool(Options{}); err == nil {
		t.Error("an exec tool without a session")
	}
}

func TestExecRecordsTheEnd(t *testing.T) {
	b := newBench(t)
	b.run(t, "exit 3")
	b.run(t, "true")
	if got := strings.Join(b.gate.ended, "|"); got != "exit code 3|exit code 0" {
		t.Errorf("ended: %s", got)
	}
}

// TestOnceRunsOnce: a thousand calls at the same time on one permission.
func TestOnceRunsOnce(t *testing.T) {
	b := newBench(t, func(o *Options, _ *SessionOptions) { o.MaxSessions = 2000 })
	command := "echo x >> " + b.outside + "/log"
	v := b.exec.opt.Session.decide(t.Context(), b.session.request(execTool, commandInput(command), b.root))
	for _, p := range neededPaths(v) {
		if err := b.cache.Grants().Put(t.Context(), approval.Grant{Path: p, Call: v.Hash, Answer: permissions.GrantedOnce}); err != nil {
			t.Fatal(err)
		}
	}
	var ran atomic.Int32
	var wg sync.WaitGroup
	start := make(chan struct{})
	for range 1000 {
		wg.Go(func() {
			<-start
			if res := b.run(t, command); !res.IsError && strings.Contains(res.ForLLM, "[exit code 0]") {
				ran.Add(1)
			}
		})
	}
	close(start)
	wg.Wait()
	log, err := os.ReadFile(filepath.Join(b.outside, "log"))
	if err != nil || ran.Load() != 1 || string(log) != "x\n" {
		t.Errorf("%d of 1000 ran, the log is %q (%v)", ran.Load(), log, err)
	}
}

func TestExecOutputLimit(t *testing.T) {
	b := newBench(t, func(o *Options, _ *SessionOptions) { o.MaxOutput = 1000 })
	res := b.run(t, "echo FIRST; printf 'x%.0s' {1..100000}; echo; echo LAST")
	wantText(t, "ForLLM", res.ForLLM, "FIRST", "LAST", "99,012 bytes of output left out here", "[exit code 0]")
	if len(res.ForLLM) > 1200 {
		t.Errorf("%d bytes of result", len(res.ForLLM))
	}
}

func TestExecCustomPatterns(t *testing.T) {
	b := newBench(t, func(o *Options, _ *SessionOptions) {
		o.CustomDenyPatterns = []string{`curl\s+.*evil`, `^git push`}
		o.CustomAllowPatterns = []string{`^reboot --dry$`, `evil`, outsideWord}
	})
	// What an allow pattern matches still needs its permission.
	if res := b.run(t, "ls "+outsideWord); !strings.Contains(res.ForLLM, "Permission needed") {
		t.Errorf("an allow pattern opened a path: %q", res.ForLLM)
	}
	// A hard block comes before the question.
	if res := b.run(t, "curl http://evil > /outside/x"); !res.IsError || strings.Contains(res.ForLLM, "request_permission") {
		t.Errorf("%q", res.ForLLM)
	}
	s := b.session
	for _, o := range []Options{{CustomDenyPatterns: []string{"("}}, {CustomAllowPatterns: []string{"["}}, {Shell: "bash"}} {
		o.Session = s
		if _, err := NewExecTool(o); err == nil {
			t.Errorf("made with %+v", o)
		}
	}
}

const outsideWord = "/outside-word"

func TestExecTimeout(t *testing.T) {
	b := newBench(t)
	pids := filepath.Join(b.root, "pids")
	// A child, a grandchild that ignores SIGTERM, one that left the process
	// group, one that let go of its parent, and one without the job's mark.
	res := b.run(t, `sleep 300 & echo $! >> pids
bash -c 'trap "" TERM; echo $$ >> pids; while :; do sleep 0.05; done' &
setsid sleep 300 & echo $! >> pids
(setsid bash -c 'echo $$ >> pids; exec sleep 300' &)
env -i $(command -v setsid) $(command -v sleep) 300 & echo $! >> pids
wait`, "timeout", 3)
	if !res.IsError || !strings.Contains(res.ForLLM, "timed out after 3s") {
		t.Errorf("%q", res.ForLLM)
	}
	wantGone(t, pids, 5)
}

func TestExecLeavesNothingBehind(t *testing.T) {
	b := newBench(t)
	res := b.run(t, `sleep 300 & echo $! >> pids; (setsid sleep 300 >/dev/null 2>&1 & echo $! >> pids); echo done`)
	wantText(t, "ForLLM", res.ForLLM, "done", "[exit code 0]", "2 processes that the command left running were ended")
	wantGone(t, filepath.Join(b.root, "pids"), 2)
}

func TestExecInterrupt(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for {
			if st, err := os.Stat(filepath.Join(b.root, "pids")); err == nil && st.Size() > 0 {
				cancel()
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	res := b.exec.Execute(ctx, map[string]any{"command": "sleep 300 & echo $! > pids; wait"})
	if !res.IsError || !strings.Contains(res.ForLLM, "interrupted") {
		t.Errorf("%q", res.ForLLM)
	}
	wantGone(t, filepath.Join(b.root, "pids"), 1)
}

// wantGone checks that none of the processes listed in the file is there any
// more, not even as a zombie of this process.
func wantGone(t *testing.T, file string, n int) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pids := strings.Fields(string(b))
	if len(pids) != n {
		t.Errorf("%d processes were started, want %d", len(pids), n)
	}
	for _, pid := range pids {
		deadline := time.Now().Add(60 * time.Second)
		for {
			st, err := os.ReadFile("/proc/" + pid + "/stat")
			if err != nil || strings.Contains(string(st), ") Z ") && !strings.Contains(string(st), ownChild()) {
				break
			}
			if time.Now().After(deadline) {
				t.Errorf("process %s is still there: %s", pid, st)
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
}
