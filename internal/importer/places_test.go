package importer_test

import (
	"fmt"
	"strings"
	"testing"

	"mayi/internal/importer"
)

// TestScopes: what a project allows stays in its project, what it refuses counts
// everywhere, and managed settings may count alone.
func TestScopes(t *testing.T) {
	managed := importer.Source{File: "m", Scope: importer.Managed, Text: []byte(`{"permissions":{"deny":["Bash(rm:*)"],"allow":["Bash(ls:*)"]}}`)}
	alone := importer.Source{File: "a", Scope: importer.Managed, Text: []byte(`{"allowManagedPermissionRulesOnly":true,"permissions":{"allow":["Bash(ls:*)"]}}`)}
	user := importer.Source{File: "u", Scope: importer.User, Text: []byte(`{"permissions":{"allow":["Bash(git:*)"],"deny":["Read(/x)"],"additionalDirectories":["/data"],"defaultMode":"acceptEdits"}}`)}
	project := importer.Source{File: "p", Scope: importer.Project, Text: []byte(`{"permissions":{"allow":["Bash(make:*)"],"ask":["Bash(git push:*)"],"additionalDirectories":["/far"],"defaultMode":"plan"}}`)}
	for _, c := range []struct {
		sources []importer.Source
		target  importer.Scope
		want    string
	}{
		{[]importer.Source{user}, importer.User, "deny read(~/.claude/x); allow command(git); read /data"},
		{[]importer.Source{user, project}, importer.User, "deny read(~/.claude/x); ask command(git push); allow command(git); read /data; plan"},
		{[]importer.Source{user, project}, "", "deny read(~/.claude/x); ask command(git push); allow command(git); read /data; plan"},
		{[]importer.Source{user, project}, importer.Project, "deny read(~/.claude/x); ask command(git push); allow command(git); allow command(make); read /data; read /far; plan"},
		{[]importer.Source{project}, "", "ask command(git push); allow command(make); read /far; plan"},
		{[]importer.Source{project}, importer.User, "ask command(git push); plan"},
		{[]importer.Source{managed, user}, importer.User, "deny command(rm); deny read(~/.claude/x); allow command(ls); allow command(git); read /data"},
		{[]importer.Source{alone, user}, importer.User, "deny read(~/.claude/x); allow command(ls)"},
	} {
		p, err := importer.Import("claude-code", c.sources...)
		if err != nil {
			t.Fatal(err)
		}
		p.For(c.target)
		var got []string
		for _, s := range p.Items() {
			word := strings.TrimSuffix(s.Path[len(s.Path)-1], "Paths")
			got = append(got, word+" "+fmt.Sprint(s.Value))
		}
		for _, s := range p.Scalars() {
			got = append(got, fmt.Sprint(s.Value))
		}
		if s := strings.Join(got, "; "); s != c.want {
			t.Errorf("%d sources for %q become\n%s\nwant\n%s", len(c.sources), c.target, s, c.want)
		}
	}
}

// TestScopeOf: whose a file is that somebody names.
func TestScopeOf(t *testing.T) {
	for _, c := range []struct {
		agent, file string
		want        importer.Scope
	}{
		{"claude-code", "/home/dev/.claude/settings.json", importer.User},
		{"claude-code", "/srv/app/.claude/settings.json", importer.Project},
		{"claude-code", "/srv/app/.claude/settings.local.json", importer.Project},
		{"claude-code", "/etc/claude-code/managed-settings.json", importer.Managed},
		{"claude-code", "/tmp/x.json", ""},
		{"codex", "/home/dev/.codex/rules/default.rules", importer.User},
		{"codex", "/srv/app/.codex/rules/default.rules", importer.Project},
		{"opencode", "/home/dev/.config/opencode/opencode.json", importer.User},
		{"opencode", "/srv/app/opencode.json", importer.Project},
	} {
		if got := importer.ScopeOf(c.agent, c.file, "/home/dev"); got != c.want {
			t.Errorf("%s is of %q, want %q", c.file, got, c.want)
		}
	}
}

// TestSeveralFiles: opencode puts files into one another. A star that an earlier
// one has stays before what a later one says of single patterns; one that only
// the later one has comes behind all of the earlier one's.
func TestSeveralFiles(t *testing.T) {
	for _, c := range []struct{ one, two, want string }{
		{`{"rm *":"deny","git *":"allow","*":"allow"}`, ``, "allow:[command(*)]"},
		{`{"rm *":"deny","git *":"allow","*":"allow"}`, `{"*":"allow"}`, "allow:[command(*)] deny:[command(rm)]"},
		{`{"*":"allow"}`, `{"*":"ask"}`, ""},
		{`{"git *":"allow"}`, `{"*":"ask"}`, ""},
		{`{"*":"ask","git *":"allow"}`, `{"*":"ask"}`, "allow:[command(git *)]"},
		{`{"git *":"allow"}`, `{"*":"deny"}`, "allow:[command(git *)] deny:[command(*)]"},
		{`{"git *":"allow"}`, `{"make *":"allow"}`, "allow:[command(git *) command(make *)]"},
	} {
		var sources []importer.Source
		for i, bash := range []string{c.one, c.two} {
			if bash != "" {
				sources = append(sources, importer.Source{File: fmt.Sprint(i), Text: []byte(`{"permission":{"bash":` + bash + `}}`)})
			}
		}
		p, err := importer.Import("opencode", sources...)
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(p.Settings()["permissions"])
		if got = strings.TrimSuffix(strings.TrimPrefix(got, "map["), "]"); got == "<nil>" {
			got = ""
		}
		if got != c.want {
			t.Errorf("%s and %s become %q, want %q", c.one, c.two, got, c.want)
		}
	}
}
