package hook_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"mayi/internal/assembly"
	"mayi/internal/hook"
	"mayi/pkg/config"
	"mayi/pkg/gate"
	"mayi/pkg/shell"
	"mayi/pkg/shell/knowledge"
	"mayi/pkg/store"
)

// place is a home and a workspace with a gate of their own, as an agent finds
// them. In what is sent and answered the workspace is written as /ws and the
// home as /home/dev.
type place struct {
	home, space string
	settings    string
	env         map[string]string
	alone       bool
	// wait is short, so that a question that nobody answers ends soon.
	wait  time.Duration
	self  string
	store *store.DB
}

const everyday = `{"readOnlyShell":true,"askNonWorkspaceAccess":true,"permissions":{"allow":["command(touch)","command(sleep)"],"deny":["command(rm)"]}}`

func newPlace(t *testing.T, settings string) *place {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{home: dir + "/home", space: dir + "/space", settings: settings, env: unattended(), wait: 50 * time.Millisecond, self: "/usr/bin/mayi"}
	for _, d := range []string{p.home, p.space + "/sub"} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p.store = store.At(p.home + "/state/mayi.db")
	t.Cleanup(func() { p.store.Close() })
	return p
}

// unattended is the environment in which an agent says that nobody is there.
func unattended() map[string]string {
	return map[string]string{"CLAUDE_CODE_SESSION_ATTENDED": "0"}
}

func (p *place) open(at hook.Place) (*hook.Door, error) {
	o := config.Options{
		Cwd: at.Cwd, Workspace: p.space, Home: p.home, User: "dev",
		UserFile: p.home + "/.config/mayi/settings.json", StateDir: p.home + "/state", Override: []byte(p.settings),
	}
	if at.Workspace != "" {
		o.Workspace = at.Workspace
	}
	if len(at.Override) > 0 {
		o.Override = at.Override
	}
	app, err := assembly.Open(assembly.Options{Config: o, Env: map[string]string{}})
	if err != nil {
		return nil, err
	}
	return &hook.Door{
		Gate: app.Gate, Questions: app.Store.Questions(), Close: app.Close,
		Keep: func(ctx context.Context, name string) error {
			return app.Store.StartSession(ctx, store.Session{ID: name, Owner: "dev"})
		},
	}, nil
}

func (p *place) options(name, stdin string, stdout, stderr *bytes.Buffer) hook.Options {
	return hook.Options{
		Name: name, Open: p.open, Stdin: strings.NewReader(p.real(stdin)), Stdout: stdout, Stderr: stderr,
		Env: p.env, Alone: func() bool { return p.alone }, Cwd: p.space, StateDir: p.home + "/state", Self: p.self, Wait: p.wait,
	}
}

// run sends one payload and returns what is answered.
func (p *place) run(t *testing.T, name, stdin string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code, err := hook.Run(context.Background(), p.options(name, stdin, &out, &errs))
	if err != nil {
		t.Fatal(err)
	}
	return p.shown(out.String()), p.shown(errs.String()), code
}

// real puts the place's own folders in.
func (p *place) real(text string) string {
	text = regexp.MustCompile(`/ws\b`).ReplaceAllLiteralString(text, p.space)
	return strings.ReplaceAll(text, "/home/dev", p.home)
}

// shown takes them, and what differs in each run, out again.
func (p *place) shown(text string) string {
	text = strings.ReplaceAll(text, p.space, "/ws")
	text = strings.ReplaceAll(text, p.home, "/home/dev")
	return regexp.MustCompile(`\b[A-Z2-7]{26}\b`).ReplaceAllLiteralString(text, "TICKET")
}

// whole is an answer as the case files have it.
func whole(stdout, stderr string, code int) string {
	if stdout == "" {
		stdout = "nothing\n"
	}
	if stderr != "" {
		stdout += "stderr: " + stderr
	}
	if code != 0 {
		stdout += fmt.Sprintf("exit %d\n", code)
	}
	return stdout
}

func analyzer() *shell.Analyzer { return shell.New(knowledge.Load()) }

// note records in the place's own store.
type note struct{ p *place }

func (n note) Record(ctx context.Context, r gate.Record) (int64, error) {
	written, err := n.p.store.Audit().Append(ctx, store.Record{Event: string(r.Event), Text: r.Verdict.Text, Verdict: r.Verdict.Verdict.String(), Session: r.Verdict.Request.Session})
	return written.Seq, err
}
