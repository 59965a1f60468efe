package modes_test

import (
	"testing"

	"mayi/internal/acp/modes"
	"mayi/pkg/permissions"
)

func TestModes(t *testing.T) {
	for _, c := range []struct {
		id        string
		rank      permissions.Mode
		known     bool
		requested permissions.Mode
	}{
		{"plan", permissions.Plan, true, permissions.Plan},
		{"architect", permissions.Plan, true, permissions.Plan},
		{"read-only", permissions.Plan, true, permissions.Plan},
		{"default", permissions.Plan, true, ""},
		{"acceptEdits", permissions.AcceptEdits, true, permissions.AcceptEdits},
		{"accept-edits", permissions.AcceptEdits, true, permissions.AcceptEdits},
		{"auto_edit", permissions.AcceptEdits, true, permissions.AcceptEdits},
		{"AUTO EDIT", permissions.AcceptEdits, true, permissions.AcceptEdits},
		{"auto", permissions.Auto, true, permissions.Auto},
		{"bypassPermissions", permissions.Auto, true, permissions.Auto},
		{"full-access", permissions.Auto, true, permissions.Auto},
		{"https://example.org/modes#autopilot", permissions.Auto, true, permissions.Auto},
		{"https://example.org/modes#plan", permissions.Plan, true, permissions.Plan},
		{"build", "", false, ""}, {"", "", false, ""}, {"plаn", "", false, ""}, {"plan2", "", false, ""}, {"#", "", false, ""},
	} {
		rank, known := modes.Rank(c.id)
		if rank != c.rank || known != c.known || known != modes.Known(c.id) || modes.Requested(c.id) != c.requested {
			t.Errorf("%q: %q %v, asks for %q", c.id, rank, known, modes.Requested(c.id))
		}
		// What is within one ceiling is within every higher one; a mode that is not
		// known only within the highest.
		within := []bool{modes.Within(c.id, permissions.Plan), modes.Within(c.id, permissions.AcceptEdits), modes.Within(c.id, permissions.Auto)}
		if !within[2] || within[0] && !within[1] || !known && (within[0] || within[1]) || modes.Within(c.id, "nonsense") != within[0] {
			t.Errorf("%q: within %v", c.id, within)
		}
	}
}
