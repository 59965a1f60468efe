package config_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"mayi/pkg/config"
	"mayi/pkg/permissions"
)

// TestUntrustedProjectOnlyTightens gives every key a looser and a stricter
// value in a project's file that nobody trusted.
func TestUntrustedProjectOnlyTightens(t *testing.T) {
	base := `{
  "executionMode": "accept-edits", "maxExecutionMode": "accept-edits", "network": "allowlist",
  "networkAllowHosts": ["example.org"], "network_in_plan_mode": false, "readOnlyShell": false,
  "askNonWorkspaceAccess": false, "sandbox": "auto", "remote_default_mode": "plan", "remote_max_mode": "accept-edits",
  "permissions": {"allow": ["command(ls)", "command(pwd)"], "deny": ["command(rm)"], "ask": ["command(git)"], "allowConfined": ["command(sh)"]},
  "readPaths": ["/usr/include"], "writePaths": ["/tmp/x"], "trustedServers": ["good"],
  "tools": {"exec": {"ask_permission": true, "custom_allow_patterns": ["^ls"], "custom_deny_patterns": ["^dd"], "timeout_seconds": 60, "allow_remote": false}}
}`
	for _, c := range []struct{ looser, stricter string }{
		{`"executionMode": "auto"`, `"executionMode": "plan"`},
		{`"maxExecutionMode": "auto"`, `"maxExecutionMode": "plan"`},
		{`"dangerouslySkipPermissions": true`, `"dangerouslySkipPermissions": false`},
		{`"allowNonWorkspaceAccess": true`, `"allowNonWorkspaceAccess": false`},
		{`"askNonWorkspaceAccess": true`, `"askNonWorkspaceAccess": false`},
		{`"network": "allow"`, `"network": "deny"`},
		{`"networkAllowHosts": ["example.org", "evil.example"]`, `"networkAllowHosts": ["sub.example.org"]`},
		{`"networkAllowHosts": ["evilexample.org"]`, `"networkAllowHosts": []`},
		{`"network_in_plan_mode": true`, `"network_in_plan_mode": false`},
		{`"readOnlyShell": true`, `"readOnlyShell": false`},
		{`"sandbox": "off"`, `"sandbox": "required"`},
		{`"remote_default_mode": "auto"`, `"remote_default_mode": "plan"`},
		{`"remote_max_mode": "auto"`, `"remote_max_mode": "plan"`},
		{`"readPaths": ["/"]`, `"readPaths": []`},
		{`"writePaths": ["/tmp"]`, `"writePaths": ["/tmp/x"]`},
		{`"workspacePaths": ["/"]`, `"workspacePaths": ["./sub"]`},
		{`"workspacePaths": ["../other"]`, `"workspacePaths": []`},
		{`"trustedWorkspaces": ["/"]`, `"trustedWorkspaces": []`},
		{`"trustedServers": ["good", "evil"]`, `"trustedServers": []`},
		{`"permissions": {"allow": ["command(ls)", "command(curl)"]}`, `"permissions": {"allow": ["command(ls)"]}`},
		{`"permissions": {"allowConfined": ["command(sh)", "command(bash)"]}`, `"permissions": {"allowConfined": ["command(sh)"]}`},
		{`"tools": {"exec": {"ask_permission": true, "timeout_seconds": 61}}`, `"tools": {"exec": {"timeout_seconds": 1}}`},
		{`"tools": {"exec": {"enable_deny_patterns": false}}`, `"tools": {"exec": {"enable_deny_patterns": true}}`},
		{`"tools": {"exec": {"custom_allow_patterns": ["^rm"]}}`, `"tools": {"exec": {"custom_allow_patterns": []}}`},
		{`"tools": {"exec": {"allow_remote": true}}`, `"tools": {"exec": {"allow_remote": false}}`},
		{`"tools": {"memory.store": {"effects": ["read"]}}`, `"tools": {"exec": {"enabled": false}}`},
		{`"commands": {"rm": {"reads": "everything"}}`, `"commands": {}`},
		{``, `"permissions": {"deny": ["command(curl)"]}`},
		{``, `"permissions": {"ask": ["command(curl)"]}`},
		{``, `"protectedPaths": ["Makefile"]`},
		{``, `"tools": {"exec": {"custom_deny_patterns": ["^x"]}}`},
		{``, `"tools": {"exec": {"ask_permission": false}}`},
	} {
		w := newWorld(t)
		w.write(w.UserFile, base)
		before := w.load()
		if c.looser != "" {
			w.write(w.ProjectFile, "{"+c.looser+"}")
			s := w.load()
			if s.Version() != before.Version() {
				t.Errorf("untrusted %s changed the policy", c.looser)
			}
			if len(s.Notices) != 1 || !strings.Contains(s.Notices[0].String(), "is ignored") || s.Notices[0].File != w.ProjectFile {
				t.Errorf("untrusted %s: notices %v", c.looser, s.Notices)
			}
			w.trust()
			if s := w.load(); s.Version() == before.Version() || len(s.Notices) != 0 {
				t.Errorf("trusted %s does not count; notices %v", c.looser, s.Notices)
			}
		}
		w.write(w.ProjectFile, "{"+c.stricter+"}")
		s := w.load()
		if len(s.Notices) != 0 {
			t.Errorf("untrusted %s: %v", c.stricter, s.Notices)
		}
	}
}

// TestWhereToAsk: hooks.ask for all agents, hooks.NAME.ask for one, and an
// untrusted project may only send questions to the queue.
func TestWhereToAsk(t *testing.T) {
	for _, c := range []struct {
		user, project    string
		qwen, claudeCode string
	}{
		{`{}`, ``, "auto", "auto"},
		{`{"hooks": {"ask": "queue"}}`, ``, "queue", "queue"},
		{`{"hooks": {"qwen": {"ask": "prompt"}}}`, ``, "prompt", "auto"},
		{`{"hooks": {"ask": "prompt", "qwen": {"ask": "auto"}}}`, ``, "auto", "prompt"},
		{`{}`, `{"hooks": {"ask": "prompt"}}`, "auto", "auto"},
		{`{}`, `{"hooks": {"qwen": {"ask": "prompt"}}}`, "auto", "auto"},
		{`{}`, `{"hooks": {"qwen": {"ask": "queue"}}}`, "queue", "auto"},
		{`{"hooks": {"qwen": {"ask": "prompt"}}}`, `{"hooks": {"qwen": {"ask": "auto"}}}`, "auto", "auto"},
		{`{"hooks": {"qwen": {"ask": "queue"}}}`, `{"hooks": {"ask": "prompt", "qwen": {"ask": "auto"}}}`, "queue", "auto"},
	} {
		w := newWorld(t)
		w.write(w.UserFile, c.user)
		if c.project != "" {
			w.write(w.ProjectFile, c.project)
		}
		h := w.load().Hooks
		if h.Asking("qwen") != c.qwen || h.Asking("claude-code") != c.claudeCode {
			t.Errorf("%s and untrusted %s: qwen %s, claude-code %s", c.user, c.project, h.Asking("qwen"), h.Asking("claude-code"))
		}
	}
	if got := (config.HooksConfig{}).Asking("qwen"); got != config.AskQueue {
		t.Errorf("with nothing set: %s", got)
	}
}

// TestUntrustedProjectCannotReadyALoosening: a value that is harmless now must
// not become one that loosens once the session sets another key.
func TestUntrustedProjectCannotReadyALoosening(t *testing.T) {
	w := newWorld(t)
	w.write(w.ProjectFile, `{"network": "allowlist", "networkAllowHosts": ["evil.example"]}`)
	w.Override = []byte(`{"network": "allowlist"}`)
	if s := w.load(); len(s.NetworkAllowHosts) != 0 {
		t.Errorf("hosts of an untrusted project count: %v", s.NetworkAllowHosts)
	}
}

func TestTrustIsBoundToPathAndContent(t *testing.T) {
	w := newWorld(t)
	if config.IsTrusted(w.Options) {
		t.Error("no file is trusted")
	}
	if err := config.Trust(w.Options, ""); err == nil {
		t.Error("a file that does not exist was trusted")
	}
	w.write(w.ProjectFile, `{"executionMode": "auto"}`)
	if w.load().ExecutionMode != permissions.AcceptEdits {
		t.Error("an untrusted project raised the mode")
	}
	p, err := config.ReadProject(w.Options)
	if err != nil || p.Trusted {
		t.Fatalf("%+v, %v", p, err)
	}
	w.write(w.ProjectFile, `{"executionMode": "auto" }`)
	if err := config.Trust(w.Options, p.Hash); err == nil || !strings.Contains(err.Error(), "has changed") {
		t.Errorf("content that was not shown was trusted: %v", err)
	}
	w.trust()
	if !config.IsTrusted(w.Options) || w.load().ExecutionMode != permissions.Auto {
		t.Error("a trusted project does not count")
	}
	w.write(w.ProjectFile, `{"executionMode": "auto", "network": "allow"}`)
	if config.IsTrusted(w.Options) || w.load().ExecutionMode != permissions.AcceptEdits {
		t.Error("a changed file is still trusted")
	}
	w.write(w.ProjectFile, `{"executionMode": "auto" }`)
	// The same content elsewhere is another project.
	other := newWorld(t)
	other.StateDir = w.StateDir
	other.write(other.ProjectFile, `{"executionMode": "auto" }`)
	if config.IsTrusted(other.Options) {
		t.Error("trust in one project counts for another")
	}
	if err := config.Untrust(w.Options); err != nil {
		t.Fatal(err)
	}
	if config.IsTrusted(w.Options) || w.load().ExecutionMode != permissions.AcceptEdits {
		t.Error("trust was not taken back")
	}
	if err := config.Untrust(w.Options); err != nil {
		t.Errorf("taking back what is not there: %v", err)
	}
	w.trust()
	records, _ := filepath.Glob(w.StateDir + "/trust/*")
	if len(records) != 1 {
		t.Fatalf("records: %v", records)
	}
	if err := os.WriteFile(records[0], []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if config.IsTrusted(w.Options) {
		t.Error("a broken record is trust")
	}
}

func TestManagedCeilingHolds(t *testing.T) {
	for _, c := range []struct{ managed, user, session, want string }{
		{"accept-edits", "auto", "auto", "accept-edits"},
		{"accept-edits", "plan", "", "plan"},
		{"accept-edits", "", "auto", "accept-edits"},
		{"plan", "accept-edits", "", "plan"},
		{"", "plan", "auto", "auto"},
		{"auto", "", "", "auto"},
	} {
		for key, get := range map[string]func(permissions.Policy) permissions.Mode{
			"maxExecutionMode": func(p permissions.Policy) permissions.Mode { return p.MaxMode },
			"remote_max_mode":  func(p permissions.Policy) permissions.Mode { return p.RemoteMax },
		} {
			w := newWorld(t)
			set := func(mode string) string { b, _ := json.Marshal(map[string]string{key: mode}); return string(b) }
			if c.managed != "" {
				w.write(w.ManagedFile, set(c.managed))
			}
			if c.user != "" {
				w.write(w.UserFile, set(c.user))
			}
			if c.session != "" {
				w.Override = []byte(set(c.session))
			}
			if got := get(w.load().Policy()); string(got) != c.want {
				t.Errorf("%s %+v: got %s", key, c, got)
			}
		}
	}
}

// TestNoLayerTakesAwayADeny: whatever the layers above say, what a layer
// denied, asks about or protects stays.
func TestNoLayerTakesAwayADeny(t *testing.T) {
	w := newWorld(t)
	w.write(w.ManagedFile, `{"permissions": {"deny": ["command(rm)"], "ask": ["command(git)"]}, "protectedPaths": ["x"], "tools": {"exec": {"custom_deny_patterns": ["^dd"]}}}`)
	for _, above := range []string{
		`{"permissions": {"deny": [], "ask": []}, "protectedPaths": [], "tools": {"exec": {"custom_deny_patterns": []}}}`,
		`{"permissions": {"deny": ["command(rm)"], "ask": ["command(git)"]}, "protectedPaths": ["x"]}`,
		`{"permissions": {"allow": ["command(rm)"]}, "dangerouslySkipPermissions": true, "executionMode": "auto"}`,
	} {
		w.write(w.UserFile, above)
		w.write(w.ProjectFile, above)
		w.trust()
		w.Override = []byte(above)
		s := w.load()
		if len(s.Deny) == 0 || len(s.Ask) == 0 || !reflect.DeepEqual(s.ProtectedPaths, []string{"x"}) || !reflect.DeepEqual(s.Tools.Exec.CustomDenyPatterns, []string{"^dd"}) {
			t.Errorf("under %s: deny %v ask %v protected %v patterns %v", above, s.Deny, s.Ask, s.ProtectedPaths, s.Tools.Exec.CustomDenyPatterns)
		}
	}
}

// TestRemoteDefaultUnderTheCeiling: raising the default is no way past a managed
// ceiling.
func TestRemoteDefaultUnderTheCeiling(t *testing.T) {
	w := newWorld(t)
	w.write(w.ManagedFile, `{"remote_max_mode": "plan"}`)
	w.write(w.UserFile, `{"remote_default_mode": "auto"}`)
	if p := w.load().Policy(); p.RemoteDefault != permissions.Plan || p.RemoteMax != permissions.Plan {
		t.Errorf("remote callers get %s up to %s", p.RemoteDefault, p.RemoteMax)
	}
}
