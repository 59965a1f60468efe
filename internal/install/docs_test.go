package install_test

import (
	"os"
	"strings"
	"testing"

	"mayi/internal/install"
)

// TestEveryAgentHasItsPage: how to install and undo, and what its hooks do not
// see.
func TestEveryAgentHasItsPage(t *testing.T) {
	table, err := os.ReadFile("../../docs/agents.md")
	if err != nil {
		t.Fatal(err)
	}
	m := newMachine(t)
	for _, name := range install.Names() {
		page, err := os.ReadFile("../../docs/agents/" + name + ".md")
		if err != nil {
			t.Error(err)
			continue
		}
		for _, want := range []string{"mayi install " + name, "mayi uninstall " + name, "**What is covered.**", "**What a hook does not see.**"} {
			if !strings.Contains(string(page), want) {
				t.Errorf("the page of %s says nothing of %q", name, want)
			}
		}
		if !strings.Contains(string(table), "](agents/"+name+".md)") {
			t.Errorf("the table does not lead to the page of %s", name)
		}
		s, err := install.New(m.places).Status(name)
		if err != nil || len(s.BlindSpots) == 0 {
			t.Errorf("status names no blind spot of %s: %v", name, err)
		}
	}
	for name, spot := range map[string]string{"codex": "write_stdin", "crush": "sub-agents", "claude-code": "disableAllHooks", "opencode": "--pure"} {
		s, err := install.New(m.places).Status(name)
		if err != nil || !strings.Contains(strings.Join(s.BlindSpots, " "), spot) {
			t.Errorf("status of %s does not name %s: %v", name, spot, err)
		}
		page, err := os.ReadFile("../../docs/agents/" + name + ".md")
		if err != nil || !strings.Contains(string(page), spot) {
			t.Errorf("the page of %s does not name %s: %v", name, spot, err)
		}
	}
}
