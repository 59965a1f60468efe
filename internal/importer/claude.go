package importer

import (
	"encoding/json"
	"strings"

	"mayi/internal/jsonedit"
	"mayi/pkg/permissions"
)

// claude reads a settings file of Claude Code.
func (p *Policy) claude(s Source) error {
	doc, err := jsonedit.Parse(s.File, s.Text)
	if err != nil {
		return err
	}
	var rules struct {
		Deny, Ask, Allow []string
		Mode             string   `json:"defaultMode"`
		Folders          []string `json:"additionalDirectories"`
	}
	if err := doc.Get(&rules, "permissions"); err != nil {
		return err
	}
	for _, l := range []struct {
		action permissions.Action
		rules  []string
	}{{permissions.ActionDeny, rules.Deny}, {permissions.ActionAsk, rules.Ask}, {permissions.ActionAllow, rules.Allow}} {
		for _, r := range l.rules {
			p.claudeRule(l.action, r, s.User)
		}
	}
	switch rules.Mode {
	case "plan":
		p.Mode = "plan"
	case "", "default", "manual":
		p.leave("defaultMode", "Claude Code asks before every edit, mayi's accept-edits mode does not inside the workspace; add ask write(**) where that is wanted", false)
	case "acceptEdits":
	default:
		p.leave("defaultMode: "+rules.Mode, "mayi has no such mode", false)
	}
	for _, dir := range rules.Folders {
		if strings.HasPrefix(dir, "/") || strings.HasPrefix(dir, "~/") {
			p.ReadPaths = append(p.ReadPaths, strings.TrimSuffix(dir, "/"))
			p.leave("additionalDirectories: "+dir, "it may be read; writing there is asked about (writePaths would allow it)", false)
		} else {
			p.leave("additionalDirectories: "+dir, "it is relative to where Claude Code is started", false)
		}
	}
	return nil
}

// claudeRule is one entry: TOOL or TOOL(SPEC).
func (p *Policy) claudeRule(a permissions.Action, text string, user bool) {
	tool, spec, _ := strings.Cut(strings.TrimSpace(text), "(")
	looser := a != permissions.ActionAllow
	if tool != strings.TrimSpace(text) && (!strings.HasSuffix(spec, ")") || spec == ")") {
		p.leave(text, "it is not written as TOOL or TOOL(WHAT)", looser)
		return
	}
	spec = strings.TrimSpace(strings.TrimSuffix(spec, ")"))
	switch {
	case tool == "Bash" && spec == "":
		p.command(a, "*", text)
	case tool == "Bash":
		p.command(a, spec, text)
	case tool == "Read" || tool == "Edit" || tool == "Write" || tool == "NotebookEdit" || tool == "MultiEdit":
		kind := "write"
		if tool == "Read" {
			kind = "read"
		}
		p.path(a, kind, claudeGlob(spec, user), text)
	case tool == "WebFetch" && (spec == "" || spec == "domain:*"):
		p.add(a, "fetch(*)", text, "")
	case tool == "WebFetch" && strings.HasPrefix(spec, "domain:"):
		p.host(a, strings.TrimPrefix(spec, "domain:"), text)
	case tool == "WebSearch" && looser:
		p.add(a, "fetch(*)", text, "stricter: every host")
	case strings.HasPrefix(tool, "mcp__"):
		p.mcp(a, strings.TrimPrefix(tool, "mcp__"), "__", text)
	default:
		p.leave(text, "mayi has no rule for this tool", looser)
	}
}

// claudeGlob is a path pattern of Claude Code in mayi's form.
func claudeGlob(spec string, user bool) string {
	switch {
	case spec == "" || spec == "*":
		return "**"
	case strings.HasPrefix(spec, "//"):
		return spec[1:]
	case strings.HasPrefix(spec, "/") && user:
		return "~/.claude" + spec
	case strings.HasPrefix(spec, "/"):
		return "." + spec // from the project's root
	}
	return spec
}

// mcp takes over a rule for a server's tools, whose name joins both with sep.
func (p *Policy) mcp(a permissions.Action, name, sep, from string) {
	server, tool, ok := strings.Cut(name, sep)
	if !ok || tool == "" {
		tool = "*"
	}
	if strings.Contains(tool, "*") && tool != "*" {
		if a == permissions.ActionAllow {
			p.leave(from, "a part of a tool's name cannot be a pattern", false)
			return
		}
		p.server(a, server, "*", from, "stricter: all tools of the server")
		return
	}
	p.server(a, server, tool, from, "")
}

// server takes over a rule for a tool of a server. The first dot of mayi's rule
// divides the two, so a server's name cannot hold one.
func (p *Policy) server(a permissions.Action, server, tool, from, note string) {
	if strings.Contains(server, ".") {
		p.leave(from, "the server's name holds a dot, which mayi's rules cannot say", a != permissions.ActionAllow)
		return
	}
	p.add(a, "mcp("+server+"."+tool+")", from, note)
}

// texts decodes a text or a list of them.
func texts(raw json.RawMessage) ([]string, error) {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return []string{one}, nil
	}
	var all []string
	err := json.Unmarshal(raw, &all)
	return all, err
}
