package approval_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"mayi/pkg/approval"
	"mayi/pkg/permissions"
)

var time0 = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestDescribe(t *testing.T) {
	q := approval.Question{
		Tool: "bash", Command: "cat /desktop/a\nrm -r /srv", Reason: "two paths are outside the workspace",
		Risk: permissions.RiskHigh, Expires: time0.Add(9*time.Minute + 59*time.Second),
		Needs: []permissions.Need{
			{What: "path", Path: "/desktop/a", Access: permissions.Read},
			{What: "path", Path: "/srv", Access: permissions.FSWrite},
			{What: "protected", Path: "/ws/.envrc", Access: permissions.FSWrite},
			{What: "command", Command: "rm -r /srv"},
			{What: "rule", Command: "ask: command(rm)"},
			{What: "tool", Command: "mcp:x.y"},
			{What: "path", Path: "/x"},
		},
	}
	want := `The agent wants to run:
  │ cat /desktop/a
  │ rm -r /srv
  It would read /desktop/a (outside the workspace)
  It would write /srv (outside the workspace)
  It would write /ws/.envrc (a protected file)
  No rule allows the command: rm -r /srv
  A rule of yours asks before this: ask: command(rm)
  No rule allows the tool mcp:x.y
  It would read, change or run /x (outside the workspace)
  session would cover that, and what is below a folder, until the session ends
  Why this is asked: two paths are outside the workspace
  Risk: high
  Without an answer within 10 minutes it is refused.
`
	if got := approval.Describe(q, time0); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	zero := `The agent wants to use the tool we⟨U+000A⟩b:
  │ 
  Risk: not known, so treat it as critical
`
	if got := approval.Describe(approval.Question{Tool: "we\nb"}, time0); got != zero {
		t.Errorf("got\n%s\nwant\n%s", got, zero)
	}
}

// TestALongCommandStaysBehindItsBar: nothing of it is left to the terminal to
// fold to the left edge.
func TestALongCommandStaysBehindItsBar(t *testing.T) {
	q := approval.Question{Tool: "bash", Command: "echo " + strings.Repeat("x", 500) + " Risk: low"}
	for line := range strings.SplitSeq(approval.Describe(q, time0), "\n") {
		if n := utf8.RuneCountInString(line); n > 80 {
			t.Errorf("a line of %d characters: %q", n, line)
		}
		if strings.Contains(line, "xx") && !strings.HasPrefix(line, "  │ ") {
			t.Errorf("not behind the bar: %q", line)
		}
	}
}
