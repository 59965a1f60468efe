package tools

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
	"mayi/pkg/workspace"
)

// fakeGate is a gate small enough to see through: absolute paths in the words
// of a command and the file argument of a tool are its effects; what lies
// outside of root asks; the words in deny are refused.
type fakeGate struct {
	root  string
	cache *PermissionCache
	deny  string
	// ask makes every command with this word ask about the command itself.
	ask string

	mu      sync.Mutex
	begun   []gate.Verdict
	ended   []string
	decided int
	refuse  error
}

var absolutePath = regexp.MustCompile(`(^|[\s<>=:'"])(/[^\s'"<>;|&)]*)`)

func (g *fakeGate) Decide(_ context.Context, r gate.Request) gate.Verdict {
	g.mu.Lock()
	g.decided++
	g.mu.Unlock()
	v := gate.Verdict{Request: r, Hash: fmt.Sprint(r.Tool.Name, r.Cwd, r.Input)}
	v.Call = permissions.Call{Tool: r.Tool}
	add := func(k permissions.Kind, name string) {
		if !filepath.IsAbs(name) {
			name = r.Cwd + "/" + name
		}
		real, err := workspace.Canonical(name)
		e := permissions.Effect{Kind: k, Path: name, Part: -1, Certainty: permissions.Exact, Place: permissions.Place{Real: real}}
		if err == nil && workspace.Within(real, g.root) {
			e.Place.Zone = permissions.Inside
		}
		v.Call.Effects = append(v.Call.Effects, e)
	}
	switch r.Tool.Name {
	case "bash":
		command, _ := r.Input["command"].(string)
		v.Call.Command, v.Call.Shell, v.Text = command, true, command
		for _, m := range absolutePath.FindAllStringSubmatch(command, -1) {
			if !strings.HasPrefix(m[2], "/bin/") && !strings.HasPrefix(m[2], "/usr/") && !strings.HasPrefix(m[2], "/dev/null") {
				add(permissions.Read, m[2])
			}
		}
	case "write":
		add(permissions.FSWrite, fmt.Sprint(r.Input["file_path"]))
	case "edit":
		add(permissions.Read, fmt.Sprint(r.Input["file_path"]))
		add(permissions.FSWrite, fmt.Sprint(r.Input["file_path"]))
	case "read":
		add(permissions.Read, fmt.Sprint(r.Input["file_path"]))
	case "ls", "find", "grep":
		name, _ := r.Input["path"].(string)
		add(permissions.Read, orElse(name, "."))
	}
	if v.Text == "" {
		v.Text = r.Tool.Name
		for _, k := range slices.Sorted(maps.Keys(r.Input)) {
			v.Text += fmt.Sprintf(" %s=%q", k, r.Input[k])
		}
	}
	v.Decision = g.judge(&v)
	return v
}

func (g *fakeGate) judge(v *gate.Verdict) permissions.Decision {
	d := permissions.Decision{Verdict: permissions.Allow}
	grants := g.cache.Grants()
	for i := range v.Call.Effects {
		e := &v.Call.Effects[i]
		if e.Place.Zone == permissions.Inside {
			continue
		}
		write := e.Kind == permissions.FSWrite
		switch e.Grant = grants.Lookup(e.Place.Real, write, v.Hash); e.Grant {
		case permissions.GrantDenied:
			return permissions.Decision{Reason: "denied before"}
		case permissions.NoGrant:
			d.Verdict, d.Promptable, d.Reason = permissions.Ask, true, "outside of the workspace"
			d.Needs = append(d.Needs, permissions.Need{What: "path", Path: e.Place.Real, Access: e.Kind, Part: -1})
		}
	}
	if g.deny != "" && strings.Contains(v.Text, g.deny) {
		return permissions.Decision{Reason: "a rule denies it"}
	}
	if g.ask != "" && strings.Contains(v.Text+v.Call.Command, g.ask) {
		switch v.Call.Approved = grants.LookupCall(v.Hash); v.Call.Approved {
		case permissions.GrantDenied:
			return permissions.Decision{Reason: "denied before"}
		case permissions.NoGrant:
			d.Verdict, d.Promptable, d.Reason = permissions.Ask, true, "no rule allows it"
			d.Needs = append(d.Needs, permissions.Need{What: "command", Command: v.Text})
		}
	}
	return d
}

func (g *fakeGate) Ask(ctx context.Context, v gate.Verdict, asker approval.Asker) (gate.Verdict, approval.Answer, error) {
	a, err := asker.Ask(ctx, approval.Question{Call: v.Hash, Command: v.Text, Needs: v.Needs, Reason: v.Reason})
	if err != nil {
		return v, a, err
	}
	answer := map[approval.Choice]permissions.Grant{approval.Once: permissions.GrantedOnce, approval.Session: permissions.GrantedSession}[a.Choice]
	if answer == permissions.NoGrant {
		answer = permissions.GrantDenied
	}
	for _, n := range v.Needs {
		gr := approval.Grant{Path: n.Path, Write: n.Access == permissions.FSWrite, Answer: answer}
		if n.Path == "" || answer == permissions.GrantedOnce {
			gr.Call = v.Hash
		}
		if err := g.cache.Grants().Put(ctx, gr); err != nil {
			return v, a, err
		}
	}
	return g.Decide(ctx, v.Request), a, nil
}

func (g *fakeGate) Begin(ctx context.Context, v gate.Verdict) (func(string), error) {
	if g.refuse != nil {
		return nil, g.refuse
	}
	if v.Verdict != permissions.Allow {
		return nil, errors.New("not allowed")
	}
	var paths []approval.Access
	for _, e := range v.Call.Effects {
		if e.Grant == permissions.GrantedOnce {
			paths = append(paths, approval.Access{Path: e.Place.Real, Write: e.Kind == permissions.FSWrite})
		}
	}
	ok, err := g.cache.Grants().Claim(ctx, v.Hash, paths, v.Call.Approved == permissions.GrantedOnce)
	if err != nil || !ok {
		return nil, fmt.Errorf("the permission was used up (%v)", err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.begun = append(g.begun, v)
	return func(outcome string) {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.ended = append(g.ended, outcome)
	}, nil
}

// bench is a workspace, a place outside of it, and the tools of one session.
type bench struct {
	root, outside string
	cache         *PermissionCache
	gate          *fakeGate
	session       *Session
	exec          *ExecTool
}

func canonicalDir(t testing.TB) string {
	t.Helper()
	d, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func newBench(t testing.TB, change ...func(*Options, *SessionOptions)) *bench {
	t.Helper()
	b := &bench{root: canonicalDir(t), outside: canonicalDir(t), cache: NewPermissionCache()}
	b.gate = &fakeGate{root: b.root, cache: b.cache}
	so := SessionOptions{Gate: b.gate, ID: "s1", Cwd: b.root, Env: append(os.Environ(), "MAYI_SECRET=hush")}
	o := Options{Roots: []string{b.root}, AskPermission: true, EnableDenyPatterns: true}
	for _, c := range change {
		c(&o, &so)
	}
	if c, ok := t.(*testing.T); ok && strings.HasPrefix(t.Name(), "TestConfined/") {
		g := newReal(c, `{"executionMode":"auto","workspacePaths":["`+b.root+`"]}`).gate
		o.Confine, o.ConfineAll = Confiner(g, "required", nil), true
	}
	b.session = NewSession(so)
	o.Session = b.session
	var err error
	if b.exec, err = NewExecTool(o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.exec.Close() })
	return b
}

func (b *bench) run(t testing.TB, command string, more ...any) *ToolResult {
	t.Helper()
	args := map[string]any{"command": command}
	for i := 0; i < len(more); i += 2 {
		args[more[i].(string)] = more[i+1]
	}
	res := b.exec.Execute(t.Context(), args)
	if res == nil {
		t.Fatal("no result")
	}
	return res
}

func (b *bench) act(t testing.TB, action, id string, more ...any) *ToolResult {
	t.Helper()
	return b.run(t, "", append([]any{"action", action, "sessionId", id}, more...)...)
}

func write(t testing.TB, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func wantText(t testing.TB, what, got string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(got, p) {
			t.Errorf("%s: %q does not contain %q", what, got, p)
		}
	}
}

// askerFunc is an asker that counts.
type askerFunc func(q approval.Question) approval.Choice

func (f askerFunc) Ask(_ context.Context, q approval.Question) (approval.Answer, error) {
	return approval.Answer{Choice: f(q), By: "the test"}, nil
}

// ownChild is how /proc shows that a process waits for this one.
func ownChild() string { return fmt.Sprintf(") Z %d ", os.Getpid()) }

// waitFor waits until the file is there.
func waitFor(t testing.TB, name string) {
	t.Helper()
	for deadline := time.Now().Add(60 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(name); err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s does not come to be", name)
		}
	}
}

func (g *fakeGate) BeginConfined(ctx context.Context, v gate.Verdict) (func(string), error) {
	return g.Begin(ctx, v)
}
