package importer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mayi/internal/jsonedit"
	"mayi/pkg/permissions"
)

// opencode reads the permissions of an opencode.json. There the last pattern that
// matches wins; in mayi a deny does, and then an ask.
func (p *Policy) opencode(s Source) error {
	doc, err := jsonedit.Parse(s.File, s.Text)
	if err != nil {
		return err
	}
	for _, section := range []string{"agent", "mode"} {
		if doc.Has(section) {
			p.singleAgents(doc, section)
		}
	}
	var servers map[string]json.RawMessage
	if err := doc.Get(&servers, "mcp"); err != nil {
		return err
	}
	if err := p.switchedOff(doc, servers); err != nil {
		return err
	}
	var whole json.RawMessage
	if err := doc.Get(&whole, "permission"); err != nil || whole == nil {
		return err
	}
	tools, err := ordered(whole)
	if err != nil {
		return fmt.Errorf("%s: permission: %w", s.File, err)
	}
	for _, t := range tools {
		patterns, err := ordered(t.value)
		if err != nil {
			return fmt.Errorf("%s: permission.%s: %w", s.File, t.key, err)
		}
		if t.key == "bash" {
			p.noteStar(patterns)
		}
		patterns = p.winning(patterns)
		for _, one := range patterns {
			if t.key == "*" && string(one.value) == `"allow"` && bashSpeaks(tools) {
				p.leave("permission.*: "+string(one.value), "permission.bash says what holds for commands", false)
				continue
			}
			p.opencodeRule(t.key, one, servers)
		}
	}
	return nil
}

// winning leaves out what stands before a pattern for everything, which never
// wins. Beside other files only an allow does not: a star that another one has
// already stays where it stands there, before all else.
func (p *Policy) winning(patterns []member) []member {
	for i := len(patterns) - 1; i >= 0; i-- {
		if patterns[i].key != "*" {
			continue
		}
		kept := slices.DeleteFunc(slices.Clone(patterns[:i]), func(m member) bool { return !p.among || string(m.value) == `"allow"` })
		return append(kept, patterns[i:]...)
	}
	return patterns
}

// noteStar notes what a source says of every command.
func (p *Policy) noteStar(patterns []member) {
	for _, m := range patterns {
		if m.key == "*" {
			p.stars[p.at.File] = string(m.value)
		}
	}
}

// settleStars leaves out what one file allows and another one asks about with a
// pattern for every command, which stands behind it there.
func (p *Policy) settleStars() {
	for _, file := range slices.Sorted(maps.Keys(p.stars)) {
		if p.stars[file] != `"ask"` {
			continue // a denial has become a rule
		}
		p.Entries = slices.DeleteFunc(p.Entries, func(e Entry) bool {
			out := e.Action == permissions.ActionAllow && e.File != file && strings.HasPrefix(e.Rule, "command(") && (p.stars[e.File] == "" || e.Rule == "command(*)")
			if out {
				p.Left = append(p.Left, Left{e.From, e.File, "in " + file + " every command is asked about", false})
			}
			return out
		})
	}
}

// bashSpeaks reports whether bash has a decision of its own about every command.
func bashSpeaks(tools []member) bool {
	return slices.ContainsFunc(tools, func(t member) bool {
		patterns, err := ordered(t.value)
		return t.key == "bash" && (err != nil || slices.ContainsFunc(patterns, func(m member) bool { return m.key == "*" }))
	})
}

// singleAgents lists what holds for one agent alone, which mayi cannot tell apart.
func (p *Policy) singleAgents(doc *jsonedit.Doc, section string) {
	var agents map[string]map[string]json.RawMessage
	err := doc.Get(&agents, section)
	looser := err != nil
	for _, one := range agents {
		looser = looser || one["permission"] != nil || one["tools"] != nil
	}
	p.leave(section, "rules of single agents are not taken over", looser)
}

// switchedOff takes over the tools that an older form of the settings switches off.
func (p *Policy) switchedOff(doc *jsonedit.Doc, servers map[string]json.RawMessage) error {
	var tools map[string]bool
	if err := doc.Get(&tools, "tools"); err != nil {
		return err
	}
	for _, tool := range slices.Sorted(maps.Keys(tools)) {
		if !tools[tool] {
			p.opencodeRule(tool, member{"*", json.RawMessage(`"deny"`)}, servers)
		}
	}
	return nil
}

func (p *Policy) opencodeRule(tool string, one member, servers map[string]json.RawMessage) {
	var word string
	_ = json.Unmarshal(one.value, &word)
	from := fmt.Sprintf("permission.%s %s: %s", tool, one.key, one.value)
	a, ok := map[string]permissions.Action{"allow": permissions.ActionAllow, "ask": permissions.ActionAsk, "deny": permissions.ActionDeny}[word]
	if !ok {
		p.leave(from, "the decision is not known", true)
		return
	}
	switch {
	case tool == "bash" && one.key == "*" && a == permissions.ActionAsk:
		p.leave(from, "mayi asks about commands that no rule covers anyway", false)
	case tool == "*" && one.key == "*" && a != permissions.ActionAllow:
		p.everything(a, from)
	case tool == "bash" || tool == "*" && one.key == "*":
		p.command(a, one.key, from)
	case tool == "external_directory":
		p.outside(a, one.key, from)
	case tool == "read" || tool == "edit" || tool == "write":
		p.opencodePath(a, map[bool]string{true: "read", false: "write"}[tool == "read"], one.key, from)
	case one.key == "*" && a == permissions.ActionAllow && serverOf(tool, servers) != "":
		server := serverOf(tool, servers)
		p.server(a, server, strings.TrimPrefix(tool, server+"_"), from, "")
	case one.key == "*" && a != permissions.ActionAllow && strings.ContainsAny(strings.TrimSuffix(tool, "_*"), "*?"):
		p.everything(a, from)
	case one.key == "*" && a != permissions.ActionAllow && strings.Contains(tool, "_") && !slices.Contains([]string{"doom_loop", "plan_enter", "plan_exit"}, tool):
		p.joined(a, tool, from)
	case tool == "doom_loop":
		p.leave(from, "mayi does not look for calls that repeat themselves", false)
	case one.key == "*":
		p.own(a, tool, from)
	default:
		p.leave(from, "mayi has no rule for this pattern", a != permissions.ActionAllow)
	}
}

// outside takes over what holds for folders outside of the workspace.
func (p *Policy) outside(a permissions.Action, key, from string) {
	switch {
	case a == permissions.ActionDeny && key == "*":
		p.RefuseOutside = true
	case a == permissions.ActionDeny:
		p.opencodePath(a, "read", key, from)
		p.opencodePath(a, "write", key, from)
	case a == permissions.ActionAsk:
		// mayi asks about what commands reach there, and refuses the file tools.
	default:
		p.leave(from, "mayi asks about what is outside of the workspace; readPaths and writePaths name folders that it need not ask about", false)
	}
}

// opencodePath takes over a pattern for files, in which a star goes over slashes.
func (p *Policy) opencodePath(a permissions.Action, kind, key, from string) {
	if rest, ok := strings.CutPrefix(key, "$HOME/"); ok {
		key = "~/" + rest
	}
	stem, below := strings.CutSuffix(key, "/*")
	odd := strings.ContainsAny(key, `[]{}!\\`) // letters there, patterns in mayi's globs
	switch {
	case odd && a == permissions.ActionAllow:
		p.leave(from, "it holds characters that mayi's globs read in another way", false)
	case odd && folders(key) == "":
		p.leave(from, "it holds characters that mayi's globs read in another way, and no folder covers it", true)
	case odd:
		p.add(a, kind+"("+folders(key)+")", from, "stricter: everything below the folder")
	case key == "*":
		p.path(a, kind, "**", from)
	case below && !strings.ContainsAny(stem, "*?"):
		p.path(a, kind, stem+"/**", from)
	case !strings.Contains(key, "/") && !strings.ContainsAny(key, "*?"):
		p.path(a, kind, "./"+key, from) // there at the root alone
	case !strings.ContainsAny(key, "*?"), !strings.Contains(key, "/") && strings.LastIndexAny(key, "*?") == 0 && key[0] == '*':
		p.path(a, kind, key, from)
	case a == permissions.ActionAllow:
		p.leave(from, "a star that goes over slashes cannot be said; what it covers is asked about", false)
	case folders(key) == "":
		p.leave(from, "a star that goes over slashes cannot be said, and no folder covers it", true)
	default:
		p.add(a, kind+"("+folders(key)+")", from, "stricter: everything below the folder")
	}
}

func serverOf(tool string, servers map[string]json.RawMessage) string {
	best := ""
	for name := range servers {
		if as := plainName(name); strings.HasPrefix(tool, as+"_") && len(as) > len(best) {
			best = as
		}
	}
	return best
}

// member is one member of an object.
type member struct {
	key   string
	value json.RawMessage
}

// ordered are the members of an object in their order; a text stands for the
// decision about everything.
func ordered(raw json.RawMessage) ([]member, error) {
	if raw[0] == '"' {
		return []member{{"*", raw}}, nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, fmt.Errorf("it is neither a word nor an object")
	}
	var out []member
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		out = append(out, member{key.(string), value})
	}
	return out, nil
}
