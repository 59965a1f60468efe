package tools

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/sandbox"
)

func needsSandbox(t *testing.T) {
	t.Helper()
	for _, p := range sandbox.Probes() {
		if !p.OK {
			t.Skipf("this machine cannot confine: %s: %s", p.Name, p.Detail)
		}
	}
}

// TestConfined runs what holds of sessions once more with every command confined
// (see newBench): typing, keys and the end of things are the same.
func TestConfined(t *testing.T) {
	needsSandbox(t)
	for name, f := range map[string]func(*testing.T){
		"others": TestSessionsOfOthersAreNotFound, "limits": TestSessionTimeoutAndLimits,
		"typed": TestTypedCommandsAreDecided, "held back": TestTypedLinesAreHeldBack, "state": TestTypedStateIsRemembered,
		"other programs": TestInputForOtherPrograms, "data": TestInputThatIsData, "terminal": TestTypedAtATerminal,
		"keys": TestSendKeys, "does not read": TestProgramThatDoesNotRead, "output": TestExecOutputLimit,
	} {
		t.Run(name, f)
	}
}

// confinedReal is a session on the real gate with its commands confined, and a
// folder that does not lie in the temporary ones, of which a job has its own.
func confinedReal(t *testing.T, settings string, confine func(*gate.Gate) Options, asker approval.Asker) (*realBench, *Registry, string) {
	t.Helper()
	needsSandbox(t)
	outside, err := os.MkdirTemp("/srv", "mayi-tools-")
	if err != nil {
		t.Skipf("needs a folder outside of the temporary ones: %v", err)
	}
	t.Cleanup(func() { os.RemoveAll(outside) })
	b := newReal(t, settings)
	s := NewSession(SessionOptions{
		Gate: b.gate, ID: "s", Caller: "test", Cwd: b.root, Home: b.home, Asker: asker,
		Env: []string{"HOME=" + b.home, "PATH=/usr/bin:/bin", "LANG=C.UTF-8"},
	})
	o := confine(b.gate)
	o.Session, o.Roots, o.AskPermission = s, []string{b.root}, true
	exec, err := NewExecTool(o)
	if err != nil {
		t.Fatal(err)
	}
	r := NewRegistry(s)
	if err := r.Register(exec); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return b, r, outside
}

func required(g *gate.Gate) Options {
	return Options{Confine: Confiner(g, "required", nil), ConfineAll: true}
}

func execute(t *testing.T, r *Registry, args map[string]any) *ToolResult {
	t.Helper()
	return r.Execute(t.Context(), "exec", args)
}

// until repeats an action until its text holds want.
func until(t *testing.T, r *Registry, args map[string]any, want string) string {
	t.Helper()
	got := ""
	for end := time.Now().Add(60 * time.Second); time.Now().Before(end); {
		if got += execute(t, r, args).ForLLM; strings.Contains(got, want) {
			return got
		}
	}
	t.Fatalf("%q did not come in %.2000q", want, got)
	return ""
}

func startedID(t *testing.T, res *ToolResult) string {
	t.Helper()
	m := sessionName.FindStringSubmatch(res.ForLLM)
	if m == nil {
		t.Fatalf("no session: %+v", res)
	}
	return m[1]
}

// reads is a program that puts the name of the file together itself.
func reads(path string) string {
	return `python3 -c "print(open('/'.join(['` + strings.ReplaceAll(path, "/", "','") + `'])).read())"`
}

func TestASessionIsHeldLikeACommand(t *testing.T) {
	b, r, outside := confinedReal(t, `{"executionMode":"auto"}`, required, nil)
	write(t, outside+"/f", "for nobody")
	for _, pty := range []bool{false, true} {
		id := startedID(t, execute(t, r, map[string]any{"command": reads(b.root+"/f") + "; " + reads(outside+"/f") + "; echo over", "background": true, "pty": pty}))
		read := map[string]any{"action": "read", "sessionId": id}
		got := until(t, r, read, "exit code")
		if !strings.Contains(got, "text of ws") || strings.Contains(got, "for nobody") {
			t.Errorf("pty %v: %q", pty, got)
		}
		if !strings.Contains(got, "refused: ") || !strings.Contains(got, outside+"/f") || !strings.Contains(got, "over") {
			t.Errorf("pty %v: the refusal is not told: %q", pty, got)
		}
	}
}

func TestKillEndsAllOfAConfinedSession(t *testing.T) {
	_, r, _ := confinedReal(t, `{"executionMode":"auto"}`, required, nil)
	mark := fmt.Sprintf("31%d.5", os.Getpid())
	id := startedID(t, execute(t, r, map[string]any{"command": "(setsid sleep " + mark + " &); trap '' TERM; sleep " + mark + " & echo up; wait; sleep " + mark, "background": true}))
	until(t, r, map[string]any{"action": "read", "sessionId": id}, "up")
	if n := running(t, mark); n == 0 {
		t.Fatal("nothing runs")
	}
	wantText(t, "kill", execute(t, r, map[string]any{"action": "kill", "sessionId": id}).ForLLM, "ended by kill")
	if n := running(t, mark); n > 0 {
		t.Errorf("%d processes are left", n)
	}
}

// running counts the processes whose arguments hold mark.
func running(t *testing.T, mark string) (n int) {
	t.Helper()
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		if b, err := os.ReadFile(f); err == nil && bytes.Contains(b, []byte("sleep\x00"+mark)) {
			n++
		}
	}
	return n
}

// TestTypedGrantsReachTheSession: what a person allows at the prompt of a session
// is open to it, without a second question as it is reached for.
func TestTypedGrantsReachTheSession(t *testing.T) {
	asked := 0
	asker := approval.AskerFunc(func(_ context.Context, q approval.Question) (approval.Answer, error) {
		asked++
		return approval.Answer{Choice: approval.Once, By: "test"}, nil
	})
	b, r, outside := confinedReal(t, `{"permissions":{"allow":["command(bash)"]}}`, func(g *gate.Gate) Options {
		return Options{Confine: Confiner(g, "required", asker), ConfineAll: true}
	}, asker)
	write(t, outside+"/f", "for the person to say")
	id := startedID(t, execute(t, r, map[string]any{"command": "bash --norc", "background": true, "pty": true}))
	type_ := map[string]any{"action": "write", "sessionId": id, "data": "cat " + outside + "/f\n"}
	res := execute(t, r, type_)
	if !strings.Contains(res.ForLLM, "Permission needed") {
		t.Fatalf("%+v", res)
	}
	if _, a, err := b.gate.Ask(t.Context(), *res.Verdict, asker); err != nil || a.Choice != approval.Once {
		t.Fatal(a, err)
	}
	execute(t, r, type_)
	until(t, r, map[string]any{"action": "read", "sessionId": id}, "for the person to say")
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}

const unknownPath = `cat "$(cat list)"`

// TestAnObligationIsKeptOrAskedAbout: a command that is allowed only confined runs
// so without a question; where this machine cannot confine, the person decides,
// and where the settings require it, nobody.
func TestAnObligationIsKeptOrAskedAbout(t *testing.T) {
	const settings = `{"permissions":{"allow":["command(cat)"]}}`
	cannot := func(context.Context, gate.Verdict, Confined) (int, error) {
		return 125, fmt.Errorf("test: %w", sandbox.ErrNotEnforced)
	}
	for _, c := range []struct {
		name  string
		o     func(*gate.Gate) Options
		want  string
		asked int
	}{
		{"kept", required, "text of ws", 0},
		{"cannot", func(*gate.Gate) Options { return Options{Confine: cannot} }, "text of ws", 1},
		{"must", func(*gate.Gate) Options { return Options{Confine: cannot, ConfineAll: true} }, "could not be started", 0},
		{"nobody confines", func(*gate.Gate) Options { return Options{} }, "text of ws", 1},
		{"nobody confines and must", func(*gate.Gate) Options { return Options{ConfineAll: true} }, "require that what runs is confined", 0},
	} {
		for _, background := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%v", c.name, background), func(t *testing.T) {
				asked := 0
				b, r, _ := confinedReal(t, settings, c.o, approval.AskerFunc(func(context.Context, approval.Question) (approval.Answer, error) {
					asked++
					return approval.Answer{Choice: approval.Once, By: "test"}, nil
				}))
				write(t, b.root+"/list", "f")
				res := execute(t, r, map[string]any{"command": unknownPath, "background": background})
				got := res.ForLLM
				if background && !res.IsError {
					got = until(t, r, map[string]any{"action": "read", "sessionId": startedID(t, res)}, "exit code")
				}
				if !strings.Contains(got, c.want) || asked != c.asked {
					t.Errorf("asked %d times: %q", asked, got)
				}
			})
		}
	}
}
