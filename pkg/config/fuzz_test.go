package config

import (
	"encoding/json"
	"strings"
	"testing"

	"mayi/pkg/permissions"
)

func seeds(f *testing.F) {
	for _, s := range []string{
		"{}", Template, "", "\ufeff{}", "{,}", `{"executionMode": "auto"}`, `{"permissions": {"deny": ["command(rm)"], "allow": ["command(ls)",]}, /* x */}`,
		`{"tools": {"exec": {"enabled": false, "timeout_seconds": 1e1}}, "tools": 1}`, `{"a": "\ud800"}`, "{\"network\": \"deny\"} // end", `{"permissions": {"allow": []}}`,
		"{\r\n\t\"commands\": {\"x\": {\"y\": [1, {}]}}\r\n}", `{"workspacePaths": ["/"], "trustedWorkspaces": ["~", "."]}`, `{"protectedPaths": ["!x", "[", "a/**"]}`,
	} {
		f.Add(s)
	}
}

// FuzzSettings: whatever stands in an untrusted project's file, reading it
// ends, every problem has its place, and nothing in it loosens.
func FuzzSettings(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		s := defaults(Options{Workspace: "/nowhere/ws", Home: "/nowhere/home"})
		s.text(newTable(), &layer{"project", "p.json", false}, []byte(text))
		p := s.Policy()
		if len(p.Broken) != len(s.Problems) {
			t.Fatalf("problems %v, broken %v", s.Problems, p.Broken)
		}
		for _, pr := range s.Problems {
			if pr.File == "" || pr.Text == "" || pr.Line < 1 || pr.Col < 1 {
				t.Fatalf("a problem without its place: %+v", pr)
			}
		}
		if permissions.RankOf(p.Mode) > permissions.RankOf(permissions.AcceptEdits) || p.SkipPermissions || p.AllowOutside || p.AskOutside || p.ReadOnlyShell ||
			len(s.Allow)+len(s.ReadPaths)+len(s.WritePaths)+len(s.TrustedWorkspaces)+len(s.NetworkAllowHosts)+len(s.Commands)+len(s.Tools.Effects)+len(s.TrustedServers)+
				len(s.Tools.Exec.CustomAllowPatterns) > 0 ||
			s.Sandbox == "off" || permissions.RankOf(p.RemoteDefault) > 0 || permissions.RankOf(p.RemoteMax) > 0 || !s.Tools.Exec.EnableDenyPatterns || s.Tools.Exec.TimeoutSeconds > 60 {
			t.Fatalf("an untrusted project loosened: %+v", s)
		}
		for _, root := range p.Workspace {
			if root != "/nowhere/ws" && !strings.HasPrefix(root, "/nowhere/ws/") {
				t.Fatalf("an untrusted project widened the workspace to %s", root)
			}
		}
		if _, err := json.Marshal(s.Effective()); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzEdit: adding a rule to a file that can be read adds exactly that rule and
// keeps every line that was there.
func FuzzEdit(f *testing.F) {
	seeds(f)
	const rule = "command(zz9)"
	read := func(text []byte) *Settings {
		s := defaults(Options{Home: "/nowhere"})
		s.text(newTable(), &layer{"user", "u.json", true}, text)
		return s
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := newEditor("u.json", []byte(text))
		if err != nil {
			return
		}
		before := read([]byte(text))
		if err := e.append([]string{"permissions", "deny"}, rule); err != nil {
			return
		}
		after := read(e.doc.Bytes())
		if len(after.Problems) > len(before.Problems) {
			return // change refuses it then
		}
		if n := len(after.Deny); n == 0 || after.Deny[n-1].Text != rule {
			t.Fatalf("%q became %q, in which the rule does not count", text, e.doc.Bytes())
		}
		if len(after.Deny) > len(before.Deny)+1 || len(after.Allow) != len(before.Allow) || after.ExecutionMode != before.ExecutionMode {
			t.Fatalf("%q became %q, which says something else", text, e.doc.Bytes())
		}
		if again := string(e.doc.Bytes()); strings.Contains(again, rule) {
			if err := e.append([]string{"permissions", "deny"}, rule); err != nil || string(e.doc.Bytes()) != again {
				t.Fatalf("adding the rule again changed %q to %q (%v)", again, e.doc.Bytes(), err)
			}
		}
	})
}
