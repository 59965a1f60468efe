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
		for i := len(patterns) - 1; i >= 0; i-- {
			if patterns[i].key == "*" {
				patterns = patterns[i:] // what stands before it never wins
				break
			}
		}
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
		p.leave(from, "mayi asks about what is outside of the workspace; tools.exec.ask_permission: false refuses it", a == permissions.ActionDeny)
	case tool == "read" || tool == "edit" || tool == "write":
		p.opencodePath(a, map[bool]string{true: "read", false: "write"}[tool == "read"], one.key, from)
	case one.key == "*" && serverOf(tool, servers) != "":
		server := serverOf(tool, servers)
		p.mcp(a, server+"\x00"+strings.TrimPrefix(tool, server+"_"), "\x00", from)
	case one.key == "*":
		p.own(a, tool, from)
	default:
		p.leave(from, "mayi has no rule for this pattern", a != permissions.ActionAllow)
	}
}

// opencodePath takes over a pattern for files, in which a star goes over slashes.
func (p *Policy) opencodePath(a permissions.Action, kind, key, from string) {
	if rest, ok := strings.CutPrefix(key, "$HOME/"); ok {
		key = "~/" + rest
	}
	stem, below := strings.CutSuffix(key, "/*")
	switch {
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
		if strings.HasPrefix(tool, name+"_") && len(name) > len(best) {
			best = name
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
