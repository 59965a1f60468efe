package main

import (
	"os"
	"strings"
	"testing"
)

// TestInstallIsAgreedToAtTheTerminal: the change is shown, and nothing but a yes
// to the question writes it.
func TestInstallIsAgreedToAtTheTerminal(t *testing.T) {
	home, project, _ := room(t)
	if err := os.MkdirAll(home+"/.claude", 0o755); err != nil {
		t.Fatal(err)
	}
	settings := home + "/.claude/settings.json"
	const before = "{\n  \"model\": \"opus\" // \x1b[2J\n}\n"
	if err := os.WriteFile(settings, []byte(before), 0o644); err != nil {
		t.Fatal(err)
	}
	read := func() string {
		text, err := os.ReadFile(settings)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	const prompt = "Write this? Type yes and Enter"
	for _, answer := range []string{"", "y", "no"} {
		p := sit(t, home, project, "install", "claude-code", "--no-policy")
		if shown := p.sees(prompt); !strings.Contains(shown, "hook claude-code") || strings.Contains(shown, "\x1b[2J") {
			t.Fatalf("shown: %q", shown)
		}
		p.types(answer)
		p.sees("nothing was written")
		p.ends()
		if s := read(); s != before {
			t.Fatalf("%q: %s", answer, s)
		}
	}
	p := sit(t, home, project, "install", "claude-code", "--no-policy")
	p.sees(prompt)
	p.types("yes")
	p.sees("mayi is in front of Claude Code")
	p.ends()
	if s := read(); !strings.Contains(s, "hook claude-code") {
		t.Fatal(s)
	}
	p = sit(t, home, project, "uninstall", "claude-code")
	p.sees(prompt)
	p.types("yes")
	p.sees("mayi is out of the user settings")
	p.ends()
	if s := read(); s != before {
		t.Fatal(s)
	}
}
