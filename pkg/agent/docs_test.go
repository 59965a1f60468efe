package agent

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"mayi/pkg/agent/scripted"
	"mayi/pkg/tools"
)

// TestTheToolsReferenceIsTrue: the table in the docs has exactly the tools that
// an agent has, each in its category.
func TestTheToolsReferenceIsTrue(t *testing.T) {
	text, err := os.ReadFile("../../docs/reference/tools-api.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|.*\\| ([a-z]+) \\|[^|]*\\|$").FindAllStringSubmatch(string(text), -1) {
		documented[row[1]] = row[2]
	}
	_, instance := newPlace(t, `{}`).agent("docs", scripted.Model{})
	for _, tool := range instance.Tools.Tools() {
		category, ok := documented[tool.Name()]
		if !ok {
			t.Errorf("the docs do not name the tool %s", tool.Name())
			continue
		}
		delete(documented, tool.Name())
		if d, ok := tool.(tools.Documented); !ok || d.Category() != category {
			t.Errorf("%s: the docs say category %q", tool.Name(), category)
		}
		if strings.TrimSpace(tool.Description()) == "" {
			t.Errorf("%s has no description", tool.Name())
		}
	}
	for name := range documented {
		t.Errorf("the docs name the tool %s, which no agent has", name)
	}
}
