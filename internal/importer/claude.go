package importer

import (
	"encoding/json"
	"slices"
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
		NoBypass         string   `json:"disableBypassPermissionsMode"`
	}
	var managedOnly bool
	if err := doc.Get(&rules, "permissions"); err != nil {
		return err
	}
	if err := doc.Get(&managedOnly, "allowManagedPermissionRulesOnly"); err != nil {
		return err
	}
	for _, l := range []struct {
		action permissions.Action
		rules  []string
	}{{permissions.ActionDeny, rules.Deny}, {permissions.ActionAsk, rules.Ask}, {permissions.ActionAllow, rules.Allow}} {
		for _, r := range l.rules {
			p.claudeRule(l.action, r)
		}
	}
	p.managed = p.managed || managedOnly && s.Scope == Managed
	p.claudeMode(rules.Mode)
	if rules.NoBypass == "disable" {
		p.Ceiling = string(permissions.AcceptEdits)
	}
	for _, dir := range rules.Folders {
		from := "additionalDirectories: " + dir
		if strings.HasPrefix(dir, "/") || strings.HasPrefix(dir, "~/") {
			p.folder(strings.TrimSuffix(dir, "/"), false, from)
			p.leave(from, "it may be read; writing there is asked about (writePaths would allow it)", false)
		} else {
			p.leave(from, "it is relative to where Claude Code is started", false)
		}
	}
	return p.claudeSandbox(doc)
}

func (p *Policy) claudeMode(mode string) {
	p.moded = p.moded || mode != ""
	switch mode {
	case "plan":
		p.plan()
	case "default", "manual":
		p.add(permissions.ActionAsk, "write(**)", "defaultMode: "+mode, "every edit is asked about, and whatever else writes in the workspace")
	case "":
		return
	case "acceptEdits":
	case "dontAsk":
		p.leave("defaultMode: "+mode, "it refuses what no rule covers; mayi asks about that", true)
	default:
		p.leave("defaultMode: "+mode, "mayi has no such mode", false)
	}
}

// claudeSandbox takes over what the confinement of commands refuses.
func (p *Policy) claudeSandbox(doc *jsonedit.Doc) error {
	var box map[string]json.RawMessage
	if err := doc.Get(&box, "sandbox"); err != nil {
		return err
	}
	var files struct{ DenyRead, DenyWrite []string }
	var hosts struct {
		Denied []string `json:"deniedDomains"`
	}
	if err := doc.Get(&files, "sandbox", "filesystem"); err != nil {
		return err
	}
	if err := doc.Get(&hosts, "sandbox", "network"); err != nil {
		return err
	}
	for _, f := range files.DenyRead {
		p.path(permissions.ActionDeny, "read", strings.Replace(f, "//", "/", 1), "sandbox.filesystem.denyRead: "+f)
	}
	for _, f := range files.DenyWrite {
		p.path(permissions.ActionDeny, "write", strings.Replace(f, "//", "/", 1), "sandbox.filesystem.denyWrite: "+f)
	}
	for _, h := range hosts.Denied {
		p.host(permissions.ActionDeny, h, "sandbox.network.deniedDomains: "+h)
	}
	if len(box) > 0 {
		p.leave("sandbox", "mayi confines commands by its own settings; what is refused there was taken over, what is allowed there was not", false)
	}
	return nil
}

// claudeRule is one entry: TOOL or TOOL(SPEC).
func (p *Policy) claudeRule(a permissions.Action, text string) {
	tool, spec, _ := strings.Cut(strings.TrimSpace(text), "(")
	looser := a != permissions.ActionAllow
	if tool != strings.TrimSpace(text) && (!strings.HasSuffix(spec, ")") || spec == ")") {
		p.leave(text, "it is not written as TOOL or TOOL(WHAT)", looser)
		return
	}
	spec = strings.TrimSuffix(spec, ")")
	switch {
	case tool == "Bash" && spec == "":
		p.command(a, "*", text)
	case tool == "Bash":
		p.command(a, spec, text)
	case slices.Contains([]string{"Read", "Edit", "Write", "NotebookEdit", "MultiEdit"}, tool):
		kind := "write"
		if tool == "Read" {
			kind = "read"
		}
		p.path(a, kind, p.claudeGlob(spec), text)
	case tool == "WebFetch" && (spec == "" || spec == "domain:*"):
		p.add(a, "fetch(*)", text, "")
	case tool == "WebFetch" && strings.HasPrefix(spec, "domain:"):
		p.host(a, strings.TrimPrefix(spec, "domain:"), text)
	case tool == "WebSearch" && looser:
		p.add(a, "fetch(*)", text, "stricter: every host")
	case strings.HasPrefix(tool, "mcp__"):
		name := strings.TrimPrefix(strings.TrimPrefix(text, " "), "mcp__") // a blank at its end is one of the name
		if tool != strings.TrimSpace(text) {
			if a == permissions.ActionAllow {
				p.leave(text, "mayi's rules say nothing about arguments", false)
				return
			}
			name = strings.TrimPrefix(tool, "mcp__")
		}
		p.mcp(a, name, "__", text)
	case tool == "*" && looser:
		p.everything(a, text)
	default:
		p.leave(text, "mayi has no rule for this tool", looser)
	}
}

// claudeGlob is a path pattern of Claude Code in mayi's form.
func (p *Policy) claudeGlob(spec string) string {
	switch {
	case spec == "" || spec == "*":
		return "**"
	case strings.HasPrefix(spec, "//"):
		return spec[1:]
	case !strings.HasPrefix(spec, "/"):
		return spec
	case p.at.Scope == User:
		return "~/.claude" + spec
	case p.at.Scope == Managed:
		return "/etc/claude-code" + spec
	}
	return "." + spec // from the project's root
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
