//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ways are the back ends that this machine has; each must hold the same.
func ways(t *testing.T, s *Spec, c *Command) map[string]levels {
	t.Helper()
	all, err := ladder(s, c)
	if err != nil {
		t.Skip("no Landlock here: ", err)
	}
	out := map[string]levels{}
	for _, l := range all {
		switch {
		case l.by == byHelper && l.user:
			out["helper"] = l
		case l.by == byHelper:
			out["root"] = l
		case l.by == byBwrap:
			out["bwrap"] = l
		default:
			out["landlock"] = l
		}
	}
	return out
}

type ran struct {
	Result
	out string
	err error
}

func try(t *testing.T, l levels, s Spec, c Command) ran {
	t.Helper()
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	j, err := start(context.Background(), s, c, l, nil)
	if err != nil {
		var r *RunError
		if errors.As(err, &r) {
			return ran{Result: Result{Code: r.Code}, out: r.Text, err: err}
		}
		return ran{err: err, Result: Result{Code: 125}}
	}
	res := j.Wait()
	return ran{Result: res, out: out.String()}
}

// space makes a workspace and a folder outside, with a secret in it.
func space(t *testing.T) (ws, out string) {
	t.Helper()
	base, err := os.MkdirTemp("/var/lib", "mayi-test-")
	if err != nil {
		if base, err = os.MkdirTemp(os.Getenv("HOME"), "mayi-test-"); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	base, err = filepath.EvalSymlinks(base)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"ws/.git/hooks", "ws/.vscode", "ws/sub", "out"} {
		if err := os.MkdirAll(filepath.Join(base, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for f, text := range map[string]string{
		"out/secret": "CANARY\n", "out/victim": "as it was\n", "ws/readme": "hello\n", "ws/.git/config": "[core]\n",
		"ws/.git/HEAD": "ref: refs/heads/main\n", "ws/.vscode/settings.json": "{}\n", "ws/sub/.env": "CANARY\n",
	} {
		if err := os.WriteFile(filepath.Join(base, f), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(base, "ws"), filepath.Join(base, "out")
}

func spec(ws string) Spec {
	s := Workspace(ws, "/nonexistent-home")
	s.Denied = append(s.Denied, Pattern{Glob: "**/.env", Firm: true})
	return s
}

func env() []string {
	return []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "HOME=/nonexistent-home"}
}

// TestAttempts tries to get out. Each attempt leaves a trace when it works:
// CANARY in the output, or a changed file; each is first shown to work without
// a sandbox.
func TestAttempts(t *testing.T) {
	for _, a := range slices.Concat(attempts(), gitAttempts(), modeAttempts()) {
		t.Run(a.name, func(t *testing.T) {
			ws, out := space(t)
			if got := a.unconfined(t, ws, out); got == "" {
				t.Fatal("the attempt does not work without a sandbox, so it shows nothing")
			}
			s := spec(ws)
			c := Command{Shell: a.script, Env: append(env(), "OUT="+out, "WS="+ws)}
			for name, l := range ways(t, &s, &c) {
				if a.tree && !l.tree {
					continue
				}
				ws, out := space(t)
				s := spec(ws)
				c := Command{Shell: a.script, Env: append(env(), "OUT="+out, "WS="+ws)}
				r := try(t, l, s, c)
				if r.err != nil && r.Code == 125 {
					t.Logf("%s: not here: %v", name, r.err)
					continue
				}
				if !strings.Contains(r.out, "RAN") {
					t.Errorf("%s: did not run: %s", name, r.out)
				}
				if got := a.trace(ws, out, r.out); got != "" {
					t.Errorf("%s: got through: %s\n%s", name, got, r.out)
				}
			}
		})
	}
}
