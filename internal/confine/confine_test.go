package confine_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mayi/internal/assembly"
	"mayi/internal/confine"
	"mayi/internal/confine/connect"
	"mayi/internal/runner"
	"mayi/pkg/approval"
	"mayi/pkg/config"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
	"mayi/pkg/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	os.Exit(m.Run())
}

// room is a home, a workspace, and a folder outside that does not lie in the
// temporary folders, of which every job has its own.
type room struct {
	t              *testing.T
	space, outside string
	app            *assembly.App
}

func newRoom(t *testing.T, settings string) *room {
	t.Helper()
	for _, p := range sandbox.Probes() {
		if !p.OK {
			t.Skipf("this machine cannot confine: %s: %s", p.Name, p.Detail)
		}
	}
	dir, err := os.MkdirTemp("/var/tmp", "mayi-confine-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	outside, err := os.MkdirTemp("/srv", "mayi-confine-")
	if err != nil {
		t.Skipf("needs a folder outside of the temporary ones: %v", err)
	}
	t.Cleanup(func() { os.RemoveAll(outside) })
	r := &room{t: t, space: dir + "/space", outside: outside}
	for _, d := range []string{r.space, dir + "/home"} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	r.open(settings)
	return r
}

// open opens the room's gate under other settings.
func (r *room) open(settings string) {
	r.t.Helper()
	dir := strings.TrimSuffix(r.space, "/space")
	app, err := assembly.Open(assembly.Options{Env: map[string]string{}, Config: config.Options{
		Cwd: r.space, Workspace: r.space, Home: dir + "/home", User: "dev", StateDir: dir + "/state",
		UserFile: dir + "/home/.config/mayi/settings.json", Override: []byte(settings),
	}})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { app.Close() })
	r.app = app
}

// decide decides the line, which must be allowed.
func (r *room) decide(line string) gate.Verdict {
	r.t.Helper()
	v := r.app.Gate.Decide(context.Background(), gate.Request{
		Session: "s", Tool: permissions.Tool{Name: "bash", Builtin: true}, Input: map[string]any{"command": line},
	})
	if v.Verdict != permissions.Allow {
		r.t.Fatalf("%s: %s: %s", line, v.Verdict, v.Reason)
	}
	return v
}

// run decides the line, which must be allowed, and runs it confined.
func (r *room) run(line string, asker approval.Asker) (code int, out string, said []string) {
	r.t.Helper()
	return r.runAs(r.decide(line), asker)
}

// runAs runs what was allowed, confined.
func (r *room) runAs(v gate.Verdict, asker approval.Asker) (code int, out string, said []string) {
	r.t.Helper()
	var buf bytes.Buffer
	code, err := confine.Run(context.Background(), confine.Job{
		Gate: r.app.Gate, Verdict: v, Mode: confine.Required, Asker: asker, Proxy: connect.Proxy(r.app.Gate, v), Say: func(s string) { said = append(said, s) },
		Command: runner.Command{Text: v.Text, Dir: r.space, Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin"}, Stdout: &buf, Stderr: &buf},
	})
	if err != nil {
		r.t.Fatalf("%s: %v", v.Text, err)
	}
	return code, buf.String(), said
}

func (r *room) file(name, text string) string {
	r.t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
	return name
}

// python reads a file whose name does not stand in the command line: it is put
// together at run time.
func python(path string) string {
	return `python3 -c "print(open('/'.join(['` + strings.ReplaceAll(path, "/", "','") + `'])).read())"`
}

const auto = `{"executionMode":"auto"}`

func TestWhatNobodyForesawIsAskedAboutWhileItWaits(t *testing.T) {
	r := newRoom(t, auto)
	secret := r.file(r.outside+"/secret", "for the person to say")
	var asked []approval.Question
	answer := approval.Once
	asker := approval.AskerFunc(func(_ context.Context, q approval.Question) (approval.Answer, error) {
		asked = append(asked, q)
		return approval.Answer{Choice: answer, By: "test"}, nil
	})
	for i, c := range []struct {
		answer approval.Choice
		reads  bool
		asks   int
	}{{approval.Once, true, 1}, {approval.Session, true, 2}, {approval.No, true, 2}} {
		answer = c.answer
		_, out, _ := r.run(python(secret), asker)
		if strings.Contains(out, "for the person") != c.reads || len(asked) != c.asks {
			t.Fatalf("%d (%s): asked %d times, printed %q", i, c.answer, len(asked), out)
		}
	}
	if q := asked[0]; len(q.Needs) != 1 || q.Needs[0].Path != secret || !strings.Contains(q.Command, secret) {
		t.Errorf("the question does not name what is reached for: %+v", q)
	}
}

func TestARefusalIsToldInPlainWords(t *testing.T) {
	r := newRoom(t, auto)
	secret := r.file(r.outside+"/secret", "for nobody")
	for name, asker := range map[string]approval.Asker{
		"nobody to ask": nil,
		"no": approval.AskerFunc(func(context.Context, approval.Question) (approval.Answer, error) {
			return approval.Answer{Choice: approval.No, By: "test"}, nil
		}),
		"an error": approval.AskerFunc(func(context.Context, approval.Question) (approval.Answer, error) {
			return approval.Answer{Choice: approval.Session, By: "test"}, errors.New("broken")
		}),
	} {
		code, out, said := r.run(python(secret), asker)
		if code == 0 || strings.Contains(out, "for nobody") || !strings.Contains(strings.Join(said, " "), secret) {
			t.Errorf("%s: code %d, printed %q, said %q", name, code, out, said)
		}
	}
}

// TestACommandThatReadsLeavesNothingBehind: git status refreshes the index of a
// repository that it may write to; where it may not, no lock may stay.
func TestACommandThatReadsLeavesNothingBehind(t *testing.T) {
	r := newRoom(t, auto)
	r.file(r.space+"/a", "x")
	for _, args := range [][]string{{"init", "-q", r.space}, {"-C", r.space, "add", "a"}} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	before, err := os.Stat(r.space + "/a")
	if err != nil {
		t.Fatal(err)
	}
	// Another time of change makes git look again and want to write that down.
	if err := os.Chtimes(r.space+"/a", before.ModTime(), before.ModTime().AddDate(0, 0, -2)); err != nil {
		t.Fatal(err)
	}
	code, out, said := r.run("git status --short", nil)
	if code != 0 || !strings.Contains(out, "A  a") || strings.Contains(out, "warning") || len(said) > 0 {
		t.Errorf("code %d, printed %q, said %q", code, out, said)
	}
	if left, _ := filepath.Glob(r.space + "/.git/*.lock"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestAHostThatThePolicyDoesNotNameIsNotReached(t *testing.T) {
	r := newRoom(t, `{"executionMode":"auto","network":"allowlist","networkAllowHosts":["allowed.test"]}`)
	v := r.app.Gate.Decide(context.Background(), gate.Request{Tool: permissions.Tool{Name: "bash", Builtin: true}, Input: map[string]any{"command": "true"}})
	for host, ok := range map[string]bool{"allowed.test": true, "a.allowed.test": true, "evil.test": false, "127.0.0.1": false, "": false} {
		if err := r.app.Gate.Host(context.Background(), v, host); (err == nil) != ok {
			t.Errorf("%q: %v", host, err)
		}
	}
}

// TestAFolderIsAskedAbout: once is one listing, a session answer is one for what
// lies below, as it is everywhere else, and a no is remembered.
func TestAFolderIsAskedAbout(t *testing.T) {
	r := newRoom(t, `{"executionMode":"auto","permissions":{"allow":["command(sh)"]}}`)
	r.file(r.outside+"/one", "CONTENT")
	if err := os.Mkdir(r.outside+"/deep", 0o755); err != nil {
		t.Fatal(err)
	}
	r.file(r.outside+"/deep/two", "CONTENT")
	r.file(r.space+"/s.sh", "ls "+r.outside+" && ls "+r.outside+"/deep")
	r.file(r.space+"/c.sh", "cat "+r.outside+"/deep/two")
	var asked []approval.Question
	answer := approval.Once
	asker := approval.AskerFunc(func(_ context.Context, q approval.Question) (approval.Answer, error) {
		asked = append(asked, q)
		return approval.Answer{Choice: answer, By: "test"}, nil
	})
	for i, c := range []struct {
		answer   approval.Choice
		line     string
		has      string
		asks     int
		question string
	}{
		{approval.Once, "sh s.sh", "one", 2, "ls wants to list the folder " + r.outside},
		{approval.No, "sh c.sh", "Permission denied", 1, "cat wants to read " + r.outside + "/deep/two"},
		{approval.Session, "sh s.sh", "two", 1, "ls wants to list the folder " + r.outside},
		{approval.No, "sh s.sh", "two", 0, ""},
	} {
		asked, answer = nil, c.answer
		_, out, said := r.run(c.line, asker)
		if !strings.Contains(out, c.has) || strings.Contains(out, "CONTENT") || len(asked) != c.asks {
			t.Errorf("%d: asked %d times, wanted %d: %+v; printed %q, said %q", i, len(asked), c.asks, asked, out, said)
		}
		if c.question != "" && len(asked) > 0 && !strings.Contains(asked[0].Command, c.question) {
			t.Errorf("%d: %q", i, asked[0].Command)
		}
	}
}
