package main

import (
	"os"
	"strings"
	"testing"
)

// TestImportIsAgreedToAtTheTerminal: the change is shown, and nothing but a yes to
// the question writes it, of a file that is still as it was shown.
func TestImportIsAgreedToAtTheTerminal(t *testing.T) {
	home, project, _ := room(t)
	source, settings := project+"/rules.json", home+"/config/mayi/settings.json"
	if err := os.WriteFile(source, []byte(`{"permissions":{"deny":["Bash(rm:*)"],"defaultMode":"acceptEdits"}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(home+"/config/mayi", 0o755); err != nil {
		t.Fatal(err)
	}
	const before = "{\n  // mine \x1b[2J\n  \"permissions\": {\"deny\": [\"command(dd)\"]}\n}\n"
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
		p := sit(t, home, project, "policy", "import", "claude-code", source, "--write", "user")
		if shown := p.sees(prompt); !strings.Contains(shown, "command(rm)") || strings.Contains(shown, "\x1b[2J") {
			t.Fatalf("shown: %q", shown)
		}
		p.types(answer)
		p.sees("nothing was written")
		p.ends()
		if s := read(); s != before {
			t.Fatalf("%q: %s", answer, s)
		}
	}
	p := sit(t, home, project, "policy", "import", "claude-code", source, "--write", "user")
	p.sees(prompt)
	if err := os.WriteFile(settings, []byte("{}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	p.types("yes")
	p.sees("has changed since it was shown")
	p.ends()
	if s := read(); s != "{}\n" {
		t.Fatal(s)
	}
	if err := os.WriteFile(settings, []byte(before), 0o644); err != nil {
		t.Fatal(err)
	}
	p = sit(t, home, project, "policy", "import", "claude-code", source, "--write", "user")
	p.sees(prompt)
	p.types("yes")
	p.sees("1 entry is in the user settings now")
	p.ends()
	if s := read(); !strings.Contains(s, `"command(rm)"`) || !strings.Contains(s, "// mine") {
		t.Fatal(s)
	}
}
