package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mayi/pkg/config"
	"mayi/pkg/permissions"
)

// world is a machine of its own: a home, a workspace and a managed file.
type world struct {
	t testing.TB
	config.Options
}

func newWorld(t testing.TB) *world {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t, config.Options{
		Cwd: top + "/ws", Home: top + "/home", User: "dev", Workspace: top + "/ws",
		ManagedFile: top + "/etc/mayi/settings.json",
		UserFile:    top + "/home/.config/mayi/settings.json",
		ProjectFile: top + "/ws/.mayi/settings.json",
		StateDir:    top + "/home/.local/state/mayi",
	}}
	for _, dir := range []string{w.Home, w.Workspace} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func (w *world) write(file, text string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// load loads settings that must be in order.
func (w *world) load() *config.Settings {
	w.t.Helper()
	s, err := config.Load(w.Options)
	if err != nil {
		w.t.Fatalf("the settings are in order, but: %v", err)
	}
	return s
}

// trust makes the project's file as good as the user's.
func (w *world) trust() {
	w.t.Helper()
	p, err := config.ReadProject(w.Options)
	if err != nil || p == nil {
		w.t.Fatalf("no project settings: %v", err)
	}
	if err := config.Trust(w.Options, p.Hash); err != nil {
		w.t.Fatal(err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func link(t testing.TB, target, name string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(name), 0o755))
	must(t, os.Symlink(target, name))
}

func TestDefaults(t *testing.T) {
	w := newWorld(t)
	s := w.load()
	p := s.Policy()
	if p.Mode != permissions.AcceptEdits || p.MaxMode != "" || p.Network != permissions.NetworkAllow || !p.NetworkInPlan ||
		p.SkipPermissions || p.AllowOutside || p.AskOutside || p.ReadOnlyShell || !p.AskExec || !p.ExecEnabled || !p.ExecRemote ||
		p.RemoteDefault != permissions.Plan || p.RemoteMax != "" || len(p.Rules) != 0 || len(p.Broken) != 0 {
		t.Errorf("policy without settings: %+v", p)
	}
	if len(p.Workspace) != 1 || p.Workspace[0] != w.Workspace || p.Home != w.Home {
		t.Errorf("workspace %v, home %v", p.Workspace, p.Home)
	}
	want := config.ExecConfig{Enabled: true, AskPermission: true, EnableDenyPatterns: true, AllowRemote: true, TimeoutSeconds: 60}
	got := s.Tools.Exec
	if got.Enabled != want.Enabled || got.AskPermission != want.AskPermission || got.EnableDenyPatterns != want.EnableDenyPatterns ||
		got.AllowRemote != want.AllowRemote || got.TimeoutSeconds != want.TimeoutSeconds || len(got.CustomAllowPatterns)+len(got.CustomDenyPatterns) != 0 {
		t.Errorf("tools.exec = %+v", got)
	}
	if s.Sandbox != "auto" {
		t.Errorf("sandbox = %q", s.Sandbox)
	}
}

func TestLayersMerge(t *testing.T) {
	w := newWorld(t)
	w.write(w.ManagedFile, `{"permissions": {"deny": ["command(rm)"], "allow": ["command(ls)"]}, "protectedPaths": ["a"], "executionMode": "plan"}`)
	w.write(w.UserFile, "// mine\n{\n  \"permissions\": {\n    \"deny\": [\"command(curl)\",],\n    \"allow\": [\"command(git status)\"], // fine\n  },\n  \"protectedPaths\": [\"b\"],\n}\n")
	w.write(w.ProjectFile, `{"permissions": {"allow": ["command(make)"], "ask": ["command(git push)"]}, "network": "deny"}`)
	w.trust()
	w.Override = []byte(`{"executionMode": "auto", "permissions": {"deny": ["command(dd)"]}}`)
	s := w.load()
	var deny []string
	for _, r := range s.Deny {
		deny = append(deny, r.Text)
	}
	if got := strings.Join(deny, " "); got != "command(rm) command(curl) command(dd)" {
		t.Errorf("deny rules do not add up: %s", got)
	}
	if len(s.Allow) != 1 || s.Allow[0].Text != "command(make)" {
		t.Errorf("the last allow list wins, got %v", s.Allow)
	}
	told := 0
	for _, n := range s.Warnings() {
		if strings.Contains(n.Text, "does not count here") && (strings.Contains(n.Text, "command(ls)") || n.File == w.ProjectFile && strings.Contains(n.Text, "command(git status)")) {
			told++
		}
	}
	if told != 2 {
		t.Errorf("an allow list that does not count is not told of: %v", s.Warnings())
	}
	if s.ExecutionMode != permissions.Auto || s.Network != permissions.NetworkDeny {
		t.Errorf("mode %s network %s", s.ExecutionMode, s.Network)
	}
	if got := strings.Join(s.ProtectedPaths, " "); got != "a b" {
		t.Errorf("protected paths: %s", got)
	}
	if src := s.Deny[1].Source; src.Layer != "user" || src.File != w.UserFile || src.Line != 4 || src.Col != 14 {
		t.Errorf("source of the user's deny rule: %+v", src)
	}
	if src := s.Sources["executionMode"]; src.Layer != "session" {
		t.Errorf("source of executionMode: %+v", src)
	}
}

func TestBrokenSettingsBreakThePolicy(t *testing.T) {
	for _, layer := range []string{"managed", "user", "project", "session"} {
		for _, c := range []struct{ text, want string }{
			{`{"executionMode": "plan"`, ":1:25: the file cannot be read"},
			{"", ":1:1: the file is empty"},
			{"[]", ":1:1: settings are an object"},
			{"{\n  \"executoinMode\": \"plan\"\n}", `:2:3: the key "executoinMode" is not known (did you mean "executionMode"?)`},
			{`{"netwrok": "deny"}`, `did you mean "network"?`},
			{`{"nteowrk": "deny"}`, `did you mean "network"?`},
			{`{"zzzz": "deny"}`, "mayi policy schema lists the keys"},
			{`{"ask_permission": false}`, `did you mean "tools.exec.ask_permission"?`},
			{`{"tools": {"exec": {"enable": true}}}`, `did you mean "tools.exec.enabled"?`},
			{`{"tools": {"exce": {"enabled": true}}}`, `"tools.exce" is not known`},
			{`{"network": "alow"}`, `"alow" is no value for network (did you mean "allow"?)`},
			{`{"network": "none"}`, `write one of "deny", "allowlist", "allow"`},
			{`{"network": true}`, `network must be one of`},
			{`{"readOnlyShell": "yes"}`, "readOnlyShell must be true or false"},
			{`{"readOnlyShell": null}`, "readOnlyShell must be true or false"},
			{`{"tools": {"exec": {"timeout_seconds": 1.5}}}`, "must be a whole number from 1 to 86400"},
			{`{"tools": {"exec": {"timeout_seconds": 0}}}`, "must be a whole number from 1 to 86400"},
			{`{"tools": {"exec": {"timeout_seconds": 86401}}}`, "must be a whole number from 1 to 86400"},
			{`{"tools": []}`, "tools must be an object"},
			{`{"permissions": {"deny": "command(rm)"}}`, "permissions.deny must be a list of strings"},
			{`{"permissions": {"deny": ["command(rm"]}}`, `:1:27: the rule "command(rm" cannot be read`},
			{`{"permissions": {"deny": [""]}}`, "cannot be read"},
			{`{"permissions": {"allowConfined": ["read(/etc)"]}}`, "is not about a command"},
			{`{"permissions": {"allowConfined": ["command(ls"]}}`, `the rule "command(ls" cannot be read`},
			{`{"permissions": {"deny": [7]}}`, "must be a string"},
			{`{"executionMode": "plan", "executionMode": "auto"}`, `:1:27: the key "executionMode" is written twice (it is in line 1 already; remove one)`},
			{"{\"executionMode\": \"plan\", \"execution\\u004dode\": \"auto\"}", "is written twice"},
			{`{"protectedPaths": ["!.git"]}`, "cannot take another back"},
			{`{"protectedPaths": [""]}`, "an empty path"},
			{`{"protectedPaths": ["a/../b"]}`, "cannot climb"},
			{`{"protectedPaths": ["[a"]}`, "the glob"},
			{`{"writePaths": ["/x/[a"]}`, "the glob"},
			{`{"readPaths": ["~other/x"]}`, "only ~/ is understood"},
			{`{"networkAllowHosts": ["http://x/"]}`, "cannot be read"},
			{`{"tools": {"exec": {"custom_deny_patterns": ["("]}}}`, "the pattern"},
			{`{"tools": {"memory.store": {"effects": ["fswrite"]}}}`, `did you mean "fs_write"?`},
			{`{"tools": {"memory.store": {"effects": []}}}`, "at least one effect"},
			{`{"commands": 1}`, "commands must be an object"},
			{"{\"permissions\": {\"deny\": [\"command(\\ud800)\"]}}", "half a character"},
			{"{\"executionMode\": \"pl\xffan\"}", ":1:22: this is not valid UTF-8"},
			{strings.Repeat("[", 200_000), "nested too deeply"},
			{`{"commands": {"x": ` + strings.Repeat("[", 5_000) + strings.Repeat("]", 5_000) + "}}", "nested too deeply"},
		} {
			w := newWorld(t)
			switch layer {
			case "managed":
				w.write(w.ManagedFile, c.text)
			case "user":
				w.write(w.UserFile, c.text)
			case "project":
				w.write(w.ProjectFile, c.text)
			case "session":
				w.Override = []byte(c.text)
			}
			s, err := config.Load(w.Options)
			if s == nil || err == nil {
				t.Fatalf("%s layer %.60q: no error", layer, c.text)
			}
			var ps config.Problems
			if !errors.As(err, &ps) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s layer %.60q:\n got %v\nwant %s", layer, c.text, err, c.want)
			}
			if len(s.Policy().Broken) == 0 {
				t.Errorf("%s layer %.60q: the policy is not broken", layer, c.text)
			}
		}
	}
}

// TestUnknownWordsAreTheStrictest: a word that nobody knows breaks the policy,
// and what it stands for is the strictest all the same.
func TestUnknownWordsAreTheStrictest(t *testing.T) {
	w := newWorld(t)
	w.write(w.UserFile, `{"executionMode": "bypass", "maxExecutionMode": "all", "network": "open", "sandbox": 1, "remote_max_mode": "x"}`)
	s, err := config.Load(w.Options)
	if err == nil {
		t.Fatal("no error")
	}
	p := s.Policy()
	if p.Mode != permissions.Plan || p.MaxMode != permissions.Plan || p.Network != permissions.NetworkDeny || s.Sandbox != "required" || p.RemoteMax != permissions.Plan {
		t.Errorf("%+v", p)
	}
}

func TestBracketsInStringsAreNoNesting(t *testing.T) {
	w := newWorld(t)
	w.write(w.UserFile, `{"commands": {"x": "`+strings.Repeat(`[{\"`, 500)+`"}} // `+strings.Repeat("[", 500)+"\n/* "+strings.Repeat("{", 500)+" */")
	w.load()
}
