package config_test

import (
	"os"
	"strings"
	"testing"
)

func TestWarnings(t *testing.T) {
	w := newWorld(t)
	w.write(w.UserFile, "{\n \"permissions\": {\"deny\": [\"command(git)\",\n  \"command(git push)\"]}\n}")
	warnings := w.load().Warnings()
	if len(warnings) != 1 || warnings[0].Line != 3 || !strings.Contains(warnings[0].Text, "command(git push)") || !strings.Contains(warnings[0].Text, "command(git) ") {
		t.Errorf("a rule that never matters: %v", warnings)
	}
	must(t, os.Chmod(w.UserFile, 0o666))
	if n := w.load().Notices; len(n) != 1 || !strings.Contains(n[0].String(), w.UserFile+": everybody") {
		t.Errorf("a file that everybody can change: %v", n)
	}
}

func TestVersion(t *testing.T) {
	w := newWorld(t)
	w.write(w.UserFile, `{"permissions": {"deny": ["command(rm)"]}}`)
	before := w.load().Version()
	w.write(w.UserFile, "// a comment\n\n"+`{"permissions": {"deny": [ "command(rm)" ]}}`)
	if w.load().Version() != before {
		t.Error("a comment changed the version")
	}
	for _, text := range []string{
		`{}`, `{"permissions": {"deny": ["command(rm)", "command(dd)"]}}`, `{"permissions": {"ask": ["command(rm)"]}}`,
		`{"permissions": {"deny": ["command(rm)"]}, "readPaths": ["/x"]}`, `{"permissions": {"deny": ["command(rm)"]}, "writePaths": ["/x"]}`,
		`{"permissions": {"deny": ["command(rm)"]}, "trustedServers": ["/x"]}`, `{"permissions": {"deny": ["command(rm)"]}, "trustedWorkspaces": ["/x"]}`,
		`{"permissions": {"deny": ["command(rm)"]}, "protectedPaths": ["x"]}`, `{"permissions": {"deny": ["command(rm)"]}, "sandbox": "off"}`,
		`{"permissions": {"deny": ["command(rm)"]}, "commands": {"x": {}}}`, `{"permissions": {"deny": ["command(rm)"]}, "tools": {"exec": {"timeout_seconds": 3}}}`,
		`{"permissions": {"deny": ["command(rm)"]}, "tools": {"a.b": {"effects": ["read"]}}}`,
	} {
		w.write(w.UserFile, text)
		if w.load().Version() == before {
			t.Errorf("%s has the version of other settings", text)
		}
	}
}
