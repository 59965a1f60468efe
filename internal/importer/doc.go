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
	// From is the rule as it was written, File where, Note how the translation
	// is stricter.
	From string `json:"from"`
	File string `json:"file"`
	Note string `json:"note,omitempty"`

	scope Scope
}

// Left is something that was not translated. Looser: without it the settings
// would allow more than the source did.
type Left struct {
	From   string `json:"from"`
	File   string `json:"file"`
	Why    string `json:"why"`
	Looser bool   `json:"looser,omitempty"`
}

// Folder is one outside of the workspace that may be read, and perhaps written.
type Folder struct {
	Path  string `json:"path"`
	Write bool   `json:"write,omitempty"`
	From  string `json:"from"`
	File  string `json:"file"`

	scope Scope
}

// Policy is what sources of one agent say in mayi's words.
type Policy struct {
	Agent   string  `json:"agent"`
	Entries []Entry `json:"entries"`
	// Mode is an execution mode where the source's is stricter than the default,
	// Ceiling the highest where the source has one.
	Mode    string   `json:"mode,omitempty"`
	Ceiling string   `json:"maxExecutionMode,omitempty"`
	Folders []Folder `json:"folders,omitempty"`
	// RefuseOutside: what leads out of the workspace is refused, not asked about.
	RefuseOutside bool   `json:"refuseOutside,omitempty"`
	Left          []Left `json:"left"`

	// at is the source that is being read, among that it is one of several.
	at    Source
	among bool
	// nobody: the source's agent asks nobody, so that its asks are denials.
	// managed: rules of other scopes do not allow anything.
	nobody, managed bool
	// moded: a source says in which mode its agent starts.
	moded bool
	// stars are the decisions about every command, by their files.
	stars map[string]string
}

// Names lists the agents whose rules can be read.
func Names() []string { return []string{"claude-code", "codex", "gemini", "opencode"} }

// Import reads sources of an agent, which hold together. The error is about a
// source that cannot be read as a whole; single rules end up in Left.
func Import(agent string, sources ...Source) (*Policy, error) {
	p := &Policy{Agent: agent, Entries: []Entry{}, Left: []Left{}, among: len(sources) > 1, stars: map[string]string{}}
	read, ok := map[string]func(Source) error{"claude-code": p.claude, "codex": p.codex, "gemini": p.gemini, "opencode": p.opencode}[agent]
	if !ok {
		return nil, fmt.Errorf("the rules of %q cannot be read; known are %q", agent, Names())
	}
	for _, s := range sources {
		p.at = s
		if err := read(s); err != nil {
			return p, err
		}
	}
	p.settle()
	return p, nil
}

// Looser lists what keeps the policy from being written.
func (p *Policy) Looser() []Left {
	return slices.DeleteFunc(slices.Clone(p.Left), func(l Left) bool { return !l.Looser })
}

// add takes a rule over where mayi can read it.
func (p *Policy) add(a permissions.Action, rule, from, note string) {
	if _, err := permissions.ParseRule(a, rule, permissions.Source{}); err != nil {
		p.leave(from, fmt.Sprintf("it would be %s, which cannot be: %v", rule, err), a != permissions.ActionAllow)
		return
	}
	p.Entries = append(p.Entries, Entry{a, listName(a), rule, from, p.at.File, note, p.at.Scope})
}

func listName(a permissions.Action) string {
	switch a {
	case permissions.ActionAllow:
		return "allow"
	case permissions.ActionAsk:
		return "ask"
	}
	return "deny"
}

func (p *Policy) leave(from, why string, looser bool) {
	p.Left = append(p.Left, Left{from, p.at.File, why, looser})
}

func (p *Policy) folder(path string, write bool, from string) {
	p.Folders = append(p.Folders, Folder{path, write, from, p.at.File, p.at.Scope})
}

// plan makes looking the most that is allowed.
func (p *Policy) plan() { p.Mode = string(permissions.Plan) }

// settle does what only all of the sources together tell: an agent that asks
// nobody refuses, where only managed rules count others allow nothing, and allow
// rules beside a deny or an ask for the same have no effect in mayi, where those
// win whatever the order.
func (p *Policy) settle() {
	if asksEdits := map[string]string{"claude-code": "defaultMode", "gemini": "general.defaultApprovalMode"}[p.Agent]; asksEdits != "" && !p.moded {
		p.at = Source{}
		p.leave(asksEdits, "where it is not set, the agent asks before every edit and every fetch; mayi's accept-edits mode does not; add ask write(**) and ask fetch(*) where that is wanted", false)
	}
	if p.managed {
		p.drop(func(s Scope) bool { return s != Managed }, "the managed settings let their own rules count alone")
	}
	p.settleStars()
	for i := range p.Entries {
		e := &p.Entries[i]
		if p.nobody && e.Action == permissions.ActionAsk {
			e.Action, e.List, e.Note = permissions.ActionDeny, "deny", "the agent asks nobody, so what it would ask about is refused"
		}
	}
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
