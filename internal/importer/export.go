package importer

import (
	"fmt"
	"strings"

	"mayi/pkg/permissions"
)

// Exported is a set of rules in an agent's words.
type Exported struct {
	// Settings is a text, or a value for JSON.
	Settings any
	// Left lists what is not in it.
	Left []Left
}

// Allows reports whether what an allow rule names, and nothing more, is allowed
// here without being confined for it: the bare command, the host. Other agents do
// not confine as mayi does, and have no other settings of mayi's.
type Allows func(permissions.Rule) bool

// Export puts rules into the words of an agent, where they can be said so that the
// agent is no looser with them than mayi. An allow for commands covers there all
// that may follow its words, options that write and files elsewhere included, which
// mayi asks about all the same: it is written only for the bare command, where the
// agent can say that and mayi allows it.
func Export(agent string, rules []permissions.Rule, allows Allows) (Exported, error) {
	e := exporter{allows: allows}
	switch agent {
	case "claude-code":
		return e.lists(rules, e.claude, func(l map[string][]string) any { return map[string]any{"permissions": l} }), nil
	case "gemini":
		return e.lists(rules, e.gemini, geminiSettings), nil
	case "codex":
		return e.codex(rules), nil
	case "opencode":
		return e.opencode(rules), nil
	}
	return Exported{}, fmt.Errorf("rules cannot be written for %q; known are %s", agent, strings.Join(Names(), ", "))
}

type exporter struct {
	allows Allows
	left   []Left
}

func (e *exporter) leave(r permissions.Rule, why string) {
	e.left = append(e.left, Left{From: r.String(), Why: why})
}

// lists says every rule by itself, as no texts and the reason or as some.
func (e *exporter) lists(rules []permissions.Rule, say func(permissions.Rule) ([]string, string), settings func(map[string][]string) any) Exported {
	out := map[string][]string{}
	for _, r := range rules {
		texts, why := say(r)
		if why != "" {
			e.leave(r, why)
			continue
		}
		out[listName(r.Action)] = append(out[listName(r.Action)], texts...)
	}
	return Exported{settings(out), e.left}
}

const (
	notExact = "it cannot be said there so that it means the same"
	covers   = "an allow there covers whatever follows, options that write and files elsewhere included; mayi asks about those"
	unsafe   = "mayi allows this command confined, or asks about it: it would be allowed there as it is"
	looks    = "mayi looks at what else is in the call, the other agent does not: it would allow more"
)

// bare are the words of an allow for commands where the other agent may allow
// exactly them.
func (e *exporter) bare(r permissions.Rule) (words []string, why string) {
	words, ok := exact(r)
	switch {
	case !ok:
		return nil, notExact
	case e.allows == nil || !e.allows(r):
		return nil, unsafe
	}
	return words, ""
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
	return r.Words, len(r.Words) > 0
}

func (e *exporter) claude(r permissions.Rule) (texts []string, why string) {
	allow := r.Action == permissions.ActionAllow
	one := func(s string) ([]string, string) { return []string{s}, "" }
	switch r.Kind {
	case permissions.CommandRule:
		if allow {
			words, why := e.bare(r)
			if why != "" {
				return nil, why
			}
			return one("Bash(" + strings.Join(words, " ") + ")")
		}
		if words, ok := exact(r); ok {
			return one("Bash(" + strings.Join(words, " ") + ":*)")
		}
	case permissions.ReadRule, permissions.WriteRule:
		tool := map[bool]string{true: "Read", false: "Edit"}[r.Kind == permissions.ReadRule]
		switch {
		case allow:
			return nil, "mayi asks about secrets and protected files under an allow, too; the other agent does not"
		case strings.HasPrefix(r.Glob, "/"):
			return one(tool + "(/" + r.Glob + ")")
		case strings.HasPrefix(r.Glob, "~/"):
			return one(tool + "(" + r.Glob + ")")
		}
		return nil, "it is relative to the workspace, and Claude Code's is to where it is started"
	case permissions.FetchRule:
		host, below := strings.CutPrefix(r.Glob, "*.")
		switch {
		case strings.Contains(host, "*") && host != "*":
		case allow && (e.allows == nil || !e.allows(r)):
			return nil, "other settings of mayi's do not allow this"
		case host == "*":
			return one("WebFetch")
		case below:
			return one("WebFetch(domain:*." + host + ")")
		default:
			return []string{"WebFetch(domain:" + host + ")", "WebFetch(domain:*." + host + ")"}, ""
		}
	case permissions.MCPRule:
		switch {
		case allow:
			return nil, looks
		case r.Server == "*" || !named(r.Server) || strings.Contains(r.Server, "__"):
		case r.Name == "*":
			return one("mcp__" + r.Server)
		case named(r.Name):
			return one("mcp__" + r.Server + "__" + r.Name)
		}
	}
	return nil, notExact
}

func (e *exporter) gemini(r permissions.Rule) (texts []string, why string) {
	words, ok := exact(r)
	switch {
	case r.Action == permissions.ActionAllow && ok:
		return nil, covers
	case r.Action != permissions.ActionDeny || !ok:
		return nil, notExact
	}
	return []string{"run_shell_command(" + strings.Join(words, " ") + ")"}, ""
}

func geminiSettings(l map[string][]string) any {
	tools := map[string]any{}
	if l["deny"] != nil {
		tools["exclude"] = l["deny"]
	}
	return map[string]any{"tools": tools}
}

func (e *exporter) codex(rules []permissions.Rule) Exported {
	var b strings.Builder
	for _, r := range rules {
		words, ok := exact(r)
		switch {
		case !ok:
			e.leave(r, notExact)
			continue
		case r.Action == permissions.ActionAllow:
			e.leave(r, covers+"; there it runs unconfined, too")
			continue
		}
		pattern := make([]string, len(words))
		for i, w := range words {
			pattern[i] = fmt.Sprintf("%q", w)
		}
		decision := map[permissions.Action]string{permissions.ActionAsk: "prompt", permissions.ActionDeny: "forbidden"}[r.Action]
		fmt.Fprintf(&b, "prefix_rule(pattern=[%s], decision=%q)\n", strings.Join(pattern, ", "), decision)
	}
	return Exported{b.String(), e.left}
}

// opencode puts the stricter rules last: there the last match wins.
func (e *exporter) opencode(rules []permissions.Rule) Exported {
	var b strings.Builder
	b.WriteString("{\n  \"permission\": {\n    \"bash\": {\n      \"*\": \"ask\"")
	for _, list := range []string{"allow", "ask", "deny"} {
		for _, r := range rules {
			if listName(r.Action) != list {
				continue
			}
			words, why := exactOr(r)
			if list == "allow" {
				words, why = e.bare(r)
			}
			if why != "" {
				e.leave(r, why)
				continue
			}
			line := strings.Join(words, " ")
			fmt.Fprintf(&b, ",\n      %q: %q", line, list)
			if list != "allow" {
				fmt.Fprintf(&b, ",\n      %q: %q", line+" *", list)
			}
		}
	}
	b.WriteString("\n    }\n  }\n}\n")
	return Exported{b.String(), e.left}
}

func exactOr(r permissions.Rule) (words []string, why string) {
	if words, ok := exact(r); ok {
		return words, ""
	}
	return nil, notExact
}
