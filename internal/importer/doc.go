// Package importer translates the rules of other agents into mayi's, and mayi's
// into theirs. It reads texts and touches nothing.
//
// What comes out is never looser than what went in. An allow that has no exact
// counterpart is narrowed or left out; a deny or an ask that has none is widened,
// to the words of a command before its first pattern or the folders of a path
// before theirs. What cannot be widened either is marked as looser, and whoever
// writes settings must not do so then.
package importer

import (
	"fmt"
	"slices"

	"mayi/pkg/permissions"
)

// Entry is one rule in mayi's words.
type Entry struct {
	Action permissions.Action `json:"-"`
	List   string             `json:"list"`
	Rule   string             `json:"rule"`
	// From is the rule as it was written, Note how the translation is stricter.
	From string `json:"from"`
	Note string `json:"note,omitempty"`
}

// Left is something that was not translated. Looser: without it the settings
// would allow more than the source did.
type Left struct {
	From   string `json:"from"`
	Why    string `json:"why"`
	Looser bool   `json:"looser,omitempty"`
}

// Policy is a source in mayi's words.
type Policy struct {
	Agent   string  `json:"agent"`
	Entries []Entry `json:"entries"`
	// Mode is an execution mode where the source's is stricter than the default,
	// ReadPaths folders outside that may be read.
	Mode      string   `json:"mode,omitempty"`
	ReadPaths []string `json:"readPaths,omitempty"`
	Left      []Left   `json:"left"`
}

// Names lists the agents whose rules can be read.
func Names() []string { return []string{"claude-code", "codex", "gemini", "opencode"} }

// Source is a file of rules.
type Source struct {
	// File is its name, for errors; Text what stands in it.
	File string
	Text []byte
	// User: it is the person's own file, not a project's.
	User bool
}

// Import reads the source of an agent. The error is about a file that cannot be
// read as a whole; single rules end up in Left.
func Import(agent string, s Source) (*Policy, error) {
	p := &Policy{Agent: agent, Entries: []Entry{}, Left: []Left{}}
	var err error
	switch agent {
	case "claude-code":
		err = p.claude(s)
	case "codex":
		err = p.codex(s)
	case "gemini":
		err = p.gemini(s)
	case "opencode":
		err = p.opencode(s)
	default:
		return nil, fmt.Errorf("the rules of %q cannot be read; known are %q", agent, Names())
	}
	p.settle()
	return p, err
}

// Looser lists what keeps the policy from being written.
func (p *Policy) Looser() []Left {
	var out []Left
	for _, l := range p.Left {
		if l.Looser {
			out = append(out, l)
		}
	}
	return out
}

// Settings is the policy as the content of a settings file.
func (p *Policy) Settings() map[string]any {
	lists := map[string]any{}
	for _, list := range []string{"deny", "ask", "allow"} {
		var rules []string
		for _, e := range p.Entries {
			if e.List == list && !slices.Contains(rules, e.Rule) {
				rules = append(rules, e.Rule)
			}
		}
		if rules != nil {
			lists[list] = rules
		}
	}
	out := map[string]any{}
	if len(lists) > 0 {
		out["permissions"] = lists
	}
	if p.Mode != "" {
		out["executionMode"] = p.Mode
	}
	if len(p.ReadPaths) > 0 {
		out["readPaths"] = p.ReadPaths
	}
	return out
}

// add takes a rule over where mayi can read it.
func (p *Policy) add(a permissions.Action, rule, from, note string) {
	if _, err := permissions.ParseRule(a, rule, permissions.Source{}); err != nil {
		p.leave(from, fmt.Sprintf("it would be %s, which cannot be: %v", rule, err), a != permissions.ActionAllow)
		return
	}
	list := map[permissions.Action]string{permissions.ActionAllow: "allow", permissions.ActionAsk: "ask", permissions.ActionDeny: "deny"}[a]
	p.Entries = append(p.Entries, Entry{a, list, rule, from, note})
}

func (p *Policy) leave(from, why string, looser bool) {
	p.Left = append(p.Left, Left{from, why, looser})
}

// settle marks allow rules that have no effect beside a deny or an ask for the
// same: in mayi those win, whatever the order.
func (p *Policy) settle() {
	for i := range p.Entries {
		e := &p.Entries[i]
		if e.Action != permissions.ActionAllow {
			continue
		}
		for _, other := range p.Entries {
			if other.Action != permissions.ActionAllow && other.Rule == e.Rule {
				e.Note = "has no effect: " + other.List + " " + other.Rule + " wins in mayi"
			}
		}
	}
}
