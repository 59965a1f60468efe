package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

// toolSearch finds tools of the registry by words of their descriptions.
type toolSearch struct {
	native
	r *Registry
}

// NewToolSearch returns the tool tool_search over the registry.
func NewToolSearch(r *Registry) Tool { return &toolSearch{r: r} }

func (t *toolSearch) Name() string      { return "tool_search" }
func (t *toolSearch) Category() string  { return "tools" }
func (t *toolSearch) ConfigKey() string { return "" }

func (t *toolSearch) Description() string {
	return "Finds tools by words of their names and descriptions, and shows what they take."
}

func (t *toolSearch) Parameters() map[string]any {
	return object(map[string]any{"query": property("string", "the words to look for; empty lists all tools")}, "query")
}

// Execute lists the best matches.
func (t *toolSearch) Execute(ctx context.Context, args map[string]any) *ToolResult {
	s := t.r.session
	r := s.request(permissions.Tool{Name: t.Name(), Builtin: true}, args, s.Cwd())
	return s.guard(ctx, r, func(context.Context, gate.Verdict) (*ToolResult, string) {
		return textResult(t.search(text(args, "query"))), "done"
	})
}

const searchResults = 20

func (t *toolSearch) search(query string) string {
	type hit struct {
		tool  Tool
		score int
	}
	words := strings.Fields(strings.ToLower(query))
	var hits []hit
	for _, tool := range t.r.Tools() {
		name, about := strings.ToLower(tool.Name()), strings.ToLower(tool.Description())
		score := 0
		for _, w := range words {
			if strings.Contains(name, w) {
				score += 3
			}
			if strings.Contains(about, w) {
				score++
			}
		}
		if score > 0 || len(words) == 0 {
			hits = append(hits, hit{tool, score})
		}
	}
	if len(hits) == 0 {
		return "no tool matches"
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	var b strings.Builder
	for i, h := range hits {
		if i == searchResults {
			fmt.Fprintf(&b, "[… %d more tools match; use other words …]\n", len(hits)-i)
			break
		}
		fmt.Fprintf(&b, "%s(%s): %s\n", approval.Line(h.tool.Name()), approval.Line(strings.Join(argumentNames(h.tool), ", ")), approval.Line(h.tool.Description()))
	}
	return b.String()
}

// argumentNames lists a tool's arguments, those that may be left out with "?".
func argumentNames(t Tool) []string {
	schema, err := resolveSchema(t.Parameters())
	if err != nil {
		return nil
	}
	var out []string
	for n := range schema.Schema().Properties {
		if !slices.Contains(schema.Schema().Required, n) {
			n += "?"
		}
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}
