package shell

import (
	"os"
	"strings"
	"testing"

	"mayi/pkg/permissions"
	"mayi/pkg/shell/knowledge"
)

// TestSpans reads testdata/spans.txt: a command, and under it, indented, what
// people are shown of each of its parts. A part without a place of its own is
// shown by its words, here in brackets.
func TestSpans(t *testing.T) {
	data, err := os.ReadFile("testdata/spans.txt")
	if err != nil {
		t.Fatal(err)
	}
	a := New(knowledge.Load())
	for _, block := range strings.Split(strings.TrimSpace(string(data)), "\n\n") {
		lines := strings.Split(block, "\n")
		var want, got []string
		for _, l := range lines[1:] {
			want = append(want, strings.TrimPrefix(l, "  "))
		}
		command := strings.ReplaceAll(lines[0], "␤", "\n")
		for _, p := range a.Analyze(command, Env{Cwd: "/ws", Home: "/home/dev"}).Parts {
			got = append(got, strings.ReplaceAll(ownText(command, p), "\n", "␤"))
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s\ngot:\n  %s\nwant:\n  %s", lines[0], strings.Join(got, "\n  "), strings.Join(want, "\n  "))
		}
	}
}

func ownText(command string, p permissions.Part) string {
	if !p.Within {
		return command[p.Span.Start:p.Span.End]
	}
	var words []string
	for _, w := range p.Words {
		words = append(words, w.Text)
	}
	return "[" + strings.Join(words, " ") + "]"
}
