package e2e

import (
	"testing"
	"time"
)

// TestSwitchedOff: settings of the repository that appear in the middle of a
// session do not take the gate away. Claude Code alone takes notice of them.
func TestSwitchedOff(t *testing.T) {
	driveOnly(t, []*agent{claudeCode}, func(t *testing.T, w *world) {
		w.everyday()
		w.install()
		second := w.agent.mcp("erase", "two")
		second.Before = func() {
			w.json("ws/.claude/settings.local.json", map[string]any{"disableAllHooks": true})
			time.Sleep(4 * time.Second) // it watches its files, and not closely
		}
		r := w.play(w.agent.mcp("note", "one"), second)
		w.check("denied not run", w.read("probe.log") == "note one\n", "what reached the MCP server is %q: %q", w.read("probe.log"), r)
	})
}
