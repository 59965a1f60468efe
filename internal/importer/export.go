package importer

import (
	"fmt"
	"strings"

	"mayi/pkg/permissions"
)

// Export is the rules in the words of an agent: the text of what can be said
// exactly, and what cannot be.
func Export(agent string, rules []permissions.Rule) (settings any, left []Left, err error) {
	switch agent {
	case "claude-code":
		return exported(rules, claudeWords)
	case "gemini":
		said, left, err := exported(rules, geminiWords)
		return geminiSettings(said), left, err
	case "codex":
		text, left := codexRules(rules)
		return text, left, nil
	case "opencode":
		return opencodeSettings(rules)
	}
	return nil, nil, fmt.Errorf("rules cannot be written for %q; known are %q", agent, Names())
}

// lists are rules of an agent by mayi's three lists.
type lists map[string][]string

func exported(rules []permissions.Rule, say func(permissions.Rule) (string, string)) (lists, []Left, error) {
	out, left := lists{}, []Left{}
	for _, r := range rules {
		text, why := say(r)
		if text == "" {
			left = append(left, Left{From: r.String(), Why: why})
			continue
		}
		out[listOf(r)] = append(out[listOf(r)], text)
	}
	return out, left, nil
}

func listOf(r permissions.Rule) string {
	switch r.Action {
	case permissions.ActionAllow:
		return "allow"
	case permissions.ActionAsk:
		return "ask"
	}
	return "deny"
}

// exact are the words of a command rule that another agent reads as mayi does.
func exact(r permissions.Rule) (words []string, ok bool) {
	if r.Kind != permissions.CommandRule {
		return nil, false
	}
	for _, w := range r.Words {
		if !plain(w) {
			return nil, false
		}
	}
	return r.Words, true
}

const notExact = "it cannot be said there so that it means the same"

func claudeWords(r permissions.Rule) (text, why string) {
	if words, ok := exact(r); ok {
		return "Bash(" + strings.Join(words, " ") + ":*)", ""
	}
	switch r.Kind {
	case permissions.ReadRule, permissions.WriteRule:
		tool := map[bool]string{true: "Read", false: "Edit"}[r.Kind == permissions.ReadRule]
		switch {
		case strings.HasPrefix(r.Glob, "/"):
			return tool + "(/" + r.Glob + ")", ""
		case strings.HasPrefix(r.Glob, "~/"):
			return tool + "(" + r.Glob + ")", ""
		}
		return "", "it is relative to the workspace, and Claude Code's is to where it is started"
	case permissions.MCPRule:
		if r.Server == "*" {
			return "", notExact
		}
		if r.Name == "*" {
			return "mcp__" + r.Server, ""
		}
		return "mcp__" + r.Server + "__" + r.Name, ""
	}
	return "", notExact
}

func geminiWords(r permissions.Rule) (text, why string) {
	words, ok := exact(r)
	if !ok || r.Action == permissions.ActionAsk {
		return "", notExact
	}
	return "run_shell_command(" + strings.Join(words, " ") + ")", ""
}

func geminiSettings(l lists) any {
	tools := map[string]any{}
	if l["allow"] != nil {
		tools["allowed"] = l["allow"]
	}
	if l["deny"] != nil {
		tools["exclude"] = l["deny"]
	}
	return map[string]any{"tools": tools}
}

func codexRules(rules []permissions.Rule) (string, []Left) {
	var b strings.Builder
	var left []Left
	for _, r := range rules {
		words, ok := exact(r)
		if !ok {
			left = append(left, Left{From: r.String(), Why: notExact})
			continue
		}
		pattern := make([]string, len(words))
		for i, w := range words {
			pattern[i] = fmt.Sprintf("%q", w)
		}
		decision := map[string]string{"allow": "allow", "ask": "prompt", "deny": "forbidden"}[listOf(r)]
		fmt.Fprintf(&b, "prefix_rule(pattern=[%s], decision=%q)\n", strings.Join(pattern, ", "), decision)
	}
	return b.String(), left
}

// opencodeSettings puts the stricter rules last: there the last match wins.
func opencodeSettings(rules []permissions.Rule) (any, []Left, error) {
	var left []Left
	var b strings.Builder
	b.WriteString("{\n  \"permission\": {\n    \"bash\": {\n      \"*\": \"ask\"")
	for _, list := range []string{"allow", "ask", "deny"} {
		for _, r := range rules {
			if listOf(r) != list {
				continue
			}
			words, ok := exact(r)
			if !ok {
				left = append(left, Left{From: r.String(), Why: notExact})
				continue
			}
			line := strings.Join(words, " ")
			fmt.Fprintf(&b, ",\n      %q: %q", line+" *", list)
		}
	}
	b.WriteString("\n    }\n  }\n}\n")
	return b.String(), left, nil
}
