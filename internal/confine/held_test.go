package confine_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"mayi/internal/confine"
	"mayi/internal/runner"
	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

const holds = `{"permissions":{"allow":["command(cat)","command(cp)","command(python3)"],"deny":["read(*.key)","write(gen/**)"]},"readPaths":["/var/tmp"]}`

// held decides the line for a runner that confines; the decision must rest on that.
func (r *room) held(line string) gate.Verdict {
	r.t.Helper()
	v := r.app.Gate.Decide(context.Background(), gate.Request{
		Session: "s", Tool: permissions.Tool{Name: "bash", Builtin: true}, Input: map[string]any{"command": line}, Confines: true,
	})
	if v.Verdict != permissions.Allow || len(v.Obligations) == 0 {
		r.t.Fatalf("%s: %s %v: %s", line, v.Verdict, v.Obligations, v.Reason)
	}
	return v
}

func (r *room) runHeld(v gate.Verdict, mode string, env ...string) (code int, out string, said string, err error) {
	var buf bytes.Buffer
	if !slices.ContainsFunc(env, func(kv string) bool { return strings.HasPrefix(kv, "PATH=") }) {
		env = append(env, "PATH=/usr/local/bin:/usr/bin:/bin") // of two, a shell takes the last and others the first
	}
	code, err = confine.Run(context.Background(), confine.Job{
		Gate: r.app.Gate, Verdict: v, Mode: mode, Say: func(s string) { said += s + "\n" },
		Command: runner.Command{Text: v.Text, Dir: r.space, Env: env, Stdout: &buf, Stderr: &buf},
	})
	return code, buf.String(), said, err
}

// TestWhatNobodyWasAskedAboutIsHeld: a path that is not known until the command
// runs is open inside of the workspace, and nowhere else.
func TestWhatNobodyWasAskedAboutIsHeld(t *testing.T) {
	r := newRoom(t, holds)
	r.file(r.space+"/a", "inside")
	r.file(r.space+"/x.key", "denied")
	secret := r.file(r.outside+"/secret", "outside")
	for _, d := range []string{"/gen", "/.git"} {
		if err := os.Mkdir(r.space+d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		line, file string
		ok         bool
	}{
		{`cat "$F"`, "a", true},
		{`cat "$F"`, r.space + "/a", true},
		{`cat "$F"`, secret, false},
		{`cat "$F"`, "x.key", false},
		{`cp -- a "$F"`, "b", true},
		{`cp -- a "$F"`, r.outside + "/b", false},
		{`cp -- a "$F"`, "gen/b", false},
		{`cp -- a "$F"`, ".git/config", false},
		{`cp -- a "$F"`, ".envrc", false},
		{`cat a > "$F"`, "c", true},
		{`cat a > "$F"`, "/dev/tcp/127.0.0.1/1", false},
		{`python3 -c 'import os; print(open(os.environ["F"]).read())'`, "a", true},
		{`python3 -c 'import os; print(open(os.environ["F"]).read())'`, "x.key", false},
		{`python3 -c 'import os; print(open(os.environ["F"]).read())'`, secret, false},
	} {
		code, out, _, err := r.runHeld(r.held(c.line), confine.Auto, "F="+c.file)
		if err != nil || (code == 0) != c.ok {
			t.Errorf("%s with %s: code %d, %v\n%s", c.line, c.file, code, err, out)
		}
	}
}

// TestCatWritesNothingWhereNobodyWasAsked: a command of which only reading is
// known gets the workspace for reading.
func TestCatWritesNothingWhereNobodyWasAsked(t *testing.T) {
	r := newRoom(t, holds)
	v := r.held(`cat "$F"`)
	if s := confine.Spec(r.app.Settings, v, r.space, confine.Auto); len(s.Write) > 0 || !s.Required || s.Network.Proxy {
		t.Errorf("it may write %q, required %v, network %v", s.Write, s.Required, s.Network.Proxy)
	}
}

func TestWhatThePersonRefusedStaysClosed(t *testing.T) {
	r := newRoom(t, holds)
	dir, err := os.MkdirTemp("/var/tmp", "mayi-[x]*-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	file := r.file(dir+"/f", "a standing grant")
	if code, out, _, err := r.runHeld(r.held(`cat "$F"`), confine.Auto, "F="+file); code != 0 || err != nil {
		t.Fatalf("below readPaths: code %d, %v: %s", code, err, out)
	}
	if err := r.app.Gate.Grants("s").Put(context.Background(), approval.Grant{Session: "s", Path: dir, Answer: permissions.GrantDenied}); err != nil {
		t.Fatal(err)
	}
	if code, out, _, err := r.runHeld(r.held(`cat "$F"`), confine.Auto, "F="+file); code == 0 || err != nil || strings.Contains(out, "standing") {
		t.Errorf("after a no: code %d, %v: %s", code, err, out)
	}
}

// TestHeldOrNotRun: what is allowed only confined does not run any other way.
func TestHeldOrNotRun(t *testing.T) {
	r := newRoom(t, holds)
	r.file(r.space+"/a", "inside")
	v := r.held(`cat "$F"`)
	for _, mode := range []string{confine.Off, "", "unknown"} {
		code, out, _, err := r.runHeld(v, mode, "F=a")
		if err == nil || out != "" || code != 125 || mode == confine.Off && !errors.Is(err, confine.ErrUnmet) {
			t.Errorf("mode %q: code %d, %v, printed %q", mode, code, err, out)
		}
	}
}

// TestARuleMeansWhatItsLinksLeadTo: a rule names a folder or a file by a link,
// and the kernel sees what lies behind it.
func TestARuleMeansWhatItsLinksLeadTo(t *testing.T) {
	r := newRoom(t, `{"permissions":{"allow":["command(cat)","command(cp)"],"deny":["read(alias/**)","read(one)","write(gen/*.go)"]}}`)
	for _, d := range []string{"/real", "/made"} {
		if err := os.Mkdir(r.space+d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	r.file(r.space+"/real/secret", "denied")
	r.file(r.space+"/two", "denied")
	r.file(r.space+"/open", "open")
	for name, to := range map[string]string{"/alias": "real", "/one": "two", "/gen": "made"} {
		if err := os.Symlink(to, r.space+name); err != nil {
			t.Fatal(err)
		}
	}
	for f, want := range map[string]string{
		"alias/secret": "ermission denied", "real/secret": "ermission denied", "one": "ermission denied", "two": "ermission denied", "open": "open",
	} {
		if _, out, _, err := r.runHeld(r.held(`cat "$F"`), confine.Auto, "F="+f); err != nil || !strings.Contains(out, want) {
			t.Errorf("%s: %q, wanted %q (%v)", f, out, want, err)
		}
	}
	if code, out, _, err := r.runHeld(r.held(`cp -- open "$F"`), confine.Auto, "F=gen/a.go"); err != nil || code == 0 {
		t.Errorf("a write was not refused: %q (%v)", out, err)
	}
	if _, err := os.Stat(r.space + "/made/a.go"); err == nil {
		t.Error("the file was written")
	}
}

// TestAFolderIsNotPutWhereItsFilesAreProtected: what may be made elsewhere is
// not moved to where it is protected, and a folder does not become a repository.
func TestAFolderIsNotPutWhereItsFilesAreProtected(t *testing.T) {
	r := newRoom(t, `{"permissions":{"allow":["command(sh)"]},"protectedPaths":["own/*/key"]}`)
	if err := os.Mkdir(r.space+"/.git", 0o755); err != nil {
		t.Fatal(err)
	}
	for to, file := range map[string]string{
		".vscode": "tasks.json", "sub/.vscode": "tasks.json", ".git/modules": "a/config", ".git/worktrees": "a/commondir", "own": "a/key",
	} {
		r.file(r.space+"/s.sh", "mkdir -p sub src/a; echo x > src/"+file+"; mv -T src "+to+"; rm -rf src")
		_, out, _ := r.run("sh s.sh", nil)
		if _, err := os.Stat(r.space + "/" + to + "/" + file); err == nil || !strings.Contains(out, "ermission denied") {
			t.Errorf("%s/%s was made: %s", to, file, out)
		}
	}
	r.file(r.space+"/s.sh", "mkdir -p bare/objects bare/refs; echo ref: refs/heads/x > bare/HEAD; echo '[core]' > bare/config; mkdir bare/hooks")
	if _, out, _ := r.run("sh s.sh", nil); !strings.Contains(out, "ermission denied") {
		t.Errorf("a folder became a repository: %s", out)
	}
	r.file(r.space+"/s.sh", "mkdir -p src/a sub/.vscode && mv src dst && mv dst/a src && rmdir sub/.vscode && echo moved")
	if _, out, _ := r.run("sh s.sh", nil); !strings.Contains(out, "moved") {
		t.Errorf("other folders cannot be moved: %s", out)
	}
}
