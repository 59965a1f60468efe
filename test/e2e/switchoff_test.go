package e2e

import (
	"testing"
	"time"
)

// TestSwitchedOff: settings of the repository that appear in the middle of a
// session do not take the gate away.
func TestSwitchedOff(t *testing.T) {
	drive(t, func(t *testing.T, w *world) {
		if w.agent.switchOff == nil {
			t.Skip("no way is known to switch its hooks off in the middle of a session")
		}
		w.everyday()
		w.install()
		second := w.agent.mcp("erase", "two")
		second.Before = func() {
			w.agent.switchOff(w)
			time.Sleep(4 * time.Second) // it watches its files, and not closely
		}
		r := w.play(w.agent.mcp("note", "one"), second)
		w.check("denied not run", w.read("probe.log") == "note one\n", "what reached the MCP server is %q: %q", w.read("probe.log"), r)
	})
}
