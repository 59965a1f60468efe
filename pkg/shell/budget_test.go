package shell

import (
	"strings"
	"testing"

	"mayi/pkg/shell/knowledge"
)

// TestBracesCostWork: 4 KB of brace expansions used to be worked out to the
// last variant, since only words counted.
func TestBracesCostWork(t *testing.T) {
	line := "{,}{,}{,$}{{}{}{}{,}{,}{$}{0}{,}{}{}{}{}{,}{}{}{}\n"
	got := New(knowledge.Load()).Analyze(strings.Repeat(line, 83), Env{Cwd: "/ws", Home: "/home/dev", User: "dev"})
	for _, u := range got.Unread {
		if strings.Contains(u.Why, "too much work") {
			return
		}
	}
	t.Errorf("the work was not bounded: %v", got.Unread)
}
