package corpus

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mayi/internal/assembly"
	"mayi/internal/wire"
	"mayi/pkg/config"
	"mayi/pkg/gate"
)

// files are what the cases speak of, below the workspace and the home.
var files = []string{
	"ws/README.md", "ws/notes.txt", "ws/notes2.md", "ws/a.json", "ws/a.go", "ws/src/main.go", "ws/src/lib/a.txt", "ws/sub/x.txt",
	"ws/.env", "ws/docs/plan.md", "ws/docs/notes.md", "ws/tools/evil.sh", "ws/tools/ok.sh", "ws/scripts/split.py", "ws/scripts/env.sh",
	"ws/scripts/setup.sh", "ws/releases/v2/a.txt", "ws/out/.keep", "ws/go.mod", "ws/package.json", "ws/Makefile", "ws/-dash.txt",
	"ws/..notes.txt", "ws/.git/config", "ws/.git/HEAD", "ws/.git/hooks/pre-commit.sample",
	"home/dev/.bashrc", "home/dev/.ssh/id_rsa", "home/dev/hello.txt", "home/dev/.config/x",
}

// ground is a workspace and a home in a tree of their own.
type ground struct {
	top  string
	apps map[string]*assembly.App
}

func newGround(t *testing.T) *ground {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		name = filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("x\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	g := &ground{top: top, apps: map[string]*assembly.App{}}
	t.Cleanup(func() {
		for _, app := range g.apps {
			_ = app.Close()
		}
	})
	return g
}

// rooted finds the folders that the cases speak of; "../ws" is none.
var rooted = regexp.MustCompile(`(^|[^.])(/ws|/home/dev)`)

// place puts the tree's folders in place of /ws and /home/dev.
func (g *ground) place(s string) string {
	return rooted.ReplaceAllString(s, "${1}"+strings.ReplaceAll(g.top, "$", "$$")+"${2}")
}

// decide runs one case as mayi check does.
func (g *ground) decide(c testcase) (wire.Decision, error) {
	settings, err := settingsOf(g.place(c.policy))
	if err != nil {
		return wire.Decision{}, err
	}
	line, err := json.Marshal(map[string]json.RawMessage{
		"id": quoted(c.name), "tool": quoted(c.tool), "input": json.RawMessage(g.place(c.input)),
		"workspace": quoted(g.top + "/ws"), "cwd": quoted(g.top + "/ws"), "settings": settings,
	})
	if err != nil {
		return wire.Decision{}, err
	}
	r, err := wire.ParseRequest(line)
	if err != nil {
		return wire.Decision{Decision: "deny", Reason: err.Error()}, nil
	}
	tool, err := wire.ToolOf(r.Tool, r.Input)
	if err != nil {
		return wire.Decision{Decision: "deny", Reason: err.Error()}, nil
	}
	app, err := g.app(r)
	if err != nil {
		return wire.Decision{}, err
	}
	v := app.Gate.Decide(context.Background(), gate.Request{Caller: "check", Tool: tool, Input: r.Input, Cwd: r.Cwd})
	return wire.FromVerdict(r.ID, v), nil
}

func quoted(s string) json.RawMessage {
	data, _ := json.Marshal(s)
	return data
}

func (g *ground) app(r wire.Request) (*assembly.App, error) {
	key := string(r.Settings)
	if app := g.apps[key]; app != nil {
		return app, nil
	}
	home := g.top + "/home/dev"
	app, err := assembly.Open(assembly.Options{
		Config: config.Options{
			Cwd: r.Cwd, Workspace: r.Workspace, Home: home, User: "dev", Override: r.Settings,
			UserFile: g.top + "/config/mayi/settings.json", StateDir: g.top + "/state/mayi",
		},
		Env:      map[string]string{"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": home, "USER": "dev", "LANG": "C.UTF-8"},
		NoRecord: true,
	})
	if err == nil {
		g.apps[key] = app
	}
	return app, err
}

// settingsOf turns the short form of a policy into settings: mode for the
// execution mode, the rules without "permissions", grantRead and grantWrite for
// the standing grants, and network "none" for "deny".
func settingsOf(policy string) (json.RawMessage, error) {
	var p map[string]any
	if err := json.Unmarshal([]byte(policy), &p); err != nil {
		return nil, err
	}
	rules := map[string]any{}
	s := map[string]any{"executionMode": p["mode"], "permissions": rules}
	for key, val := range p {
		switch key {
		case "mode":
		case "allow", "deny", "ask":
			rules[key] = val
		case "grantRead":
			s["readPaths"] = val
		case "grantWrite":
			s["writePaths"] = val
		case "network":
			if val == "none" {
				val = "deny"
			}
			s[key] = val
		default:
			s[key] = val
		}
	}
	return json.Marshal(s)
}
