package importer

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"mayi/internal/jsonedit"
	"mayi/pkg/permissions"
)

// gemini reads a settings file of Gemini CLI, or where the file's name ends in
// .toml one of its policy files.
func (p *Policy) gemini(s Source) error {
	if filepath.Ext(s.File) == ".toml" {
		return p.geminiPolicy(s)
	}
	doc, err := jsonedit.Parse(s.File, s.Text)
	if err != nil {
		return err
	}
	for _, l := range []struct {
		action permissions.Action
		path   []string
	}{
		{permissions.ActionAllow, []string{"tools", "allowed"}}, {permissions.ActionAllow, []string{"allowedTools"}},
		{permissions.ActionDeny, []string{"tools", "exclude"}}, {permissions.ActionDeny, []string{"excludeTools"}},
	} {
		var rules []string
		if err := doc.Get(&rules, l.path...); err != nil {
			return err
		}
		for _, r := range rules {
			p.geminiTool(l.action, r)
		}
	}
	for _, path := range [][]string{{"tools", "core"}, {"coreTools"}} {
		if doc.Has(path...) {
			p.leave(strings.Join(path, "."), "it offers these tools alone; mayi's rules cannot refuse all others", true)
		}
	}
	var mode string
	if err := doc.Get(&mode, "general", "defaultApprovalMode"); err != nil {
		return err
	}
	p.moded = p.moded || mode != ""
	switch mode {
	case "plan":
		p.plan()
	case "default":
		p.add(permissions.ActionAsk, "write(**)", "general.defaultApprovalMode: default", "every edit is asked about, and whatever else writes in the workspace")
	case "", "auto_edit":
	default:
		p.leave("general.defaultApprovalMode: "+mode, "mayi has no such mode", false)
	}
	return p.geminiServers(doc)
}

func (p *Policy) geminiServers(doc *jsonedit.Doc) error {
	var excluded []string
	if err := doc.Get(&excluded, "mcp", "excluded"); err != nil {
		return err
	}
	for _, server := range excluded {
		p.server(permissions.ActionDeny, server, "*", "mcp.excluded: "+server, "")
	}
	if doc.Has("mcp", "allowed") {
		p.leave("mcp.allowed", "it refuses all other servers; mayi asks about their tools", true)
	}
	var servers map[string]struct {
		Trust        bool     `json:"trust"`
		IncludeTools []string `json:"includeTools"`
		ExcludeTools []string `json:"excludeTools"`
	}
	if err := doc.Get(&servers, "mcpServers"); err != nil {
		return err
	}
	for name, server := range servers {
		for _, tool := range server.ExcludeTools {
			p.server(permissions.ActionDeny, name, tool, "mcpServers."+name+".excludeTools: "+tool, "")
		}
		if len(server.IncludeTools) > 0 {
			p.leave("mcpServers."+name+".includeTools", "it hides the server's other tools; mayi asks about them", true)
		}
		if server.Trust {
			p.server(permissions.ActionAllow, name, "*", "mcpServers."+name+".trust", "")
		}
	}
	return nil
}

// geminiTool is an entry TOOL or run_shell_command(WORDS).
func (p *Policy) geminiTool(a permissions.Action, text string) {
	tool, spec, has := strings.Cut(text, "(")
	spec, closed := strings.CutSuffix(spec, ")")
	switch {
	case has && (!closed || spec == ""):
		p.leave(text, "it is not written as TOOL or TOOL(WORDS)", a != permissions.ActionAllow)
	case (tool == "run_shell_command" || tool == "ShellTool") && has:
		p.command(a, strings.TrimSuffix(spec, " *")+":*", text)
	case has && a == permissions.ActionAllow:
		p.leave(text, "mayi's rules say nothing about this tool's arguments", false)
	case tool == "run_shell_command" || tool == "ShellTool":
		p.command(a, "*", text)
	case strings.HasPrefix(tool, "mcp_"):
		p.joined(a, strings.TrimPrefix(tool, "mcp_"), text)
	case strings.Contains(tool, "__"):
		p.mcp(a, tool, "__", text)
	default:
		p.own(a, tool, text)
	}
}

// everything takes over a deny or an ask for all tools.
func (p *Policy) everything(a permissions.Action, from string) {
	for _, rule := range []string{"command(*)", "read(**)", "write(**)", "fetch(*)", "mcp(*.*)"} {
		p.add(a, rule, from, "")
	}
}

// own takes over a rule for one of the agent's own tools as a whole.
func (p *Policy) own(a permissions.Action, tool, from string) {
	switch tool {
	case "glob", "list", "list_directory", "google_web_search", "websearch", "replace", "patch", "write_file", "write":
		if a == permissions.ActionAllow {
			p.leave(from, "mayi's rule for it would cover more than this tool does", false)
			return
		}
	}
	kinds := map[string]string{
		"read_file": "read(**)", "read_many_files": "read(**)", "list_directory": "read(**)", "glob": "read(**)", "grep_search": "read(**)", "search_file_content": "read(**)",
		"write_file": "write(**)", "replace": "write(**)", "edit": "write(**)", "web_fetch": "fetch(*)", "google_web_search": "fetch(*)",
		"read": "read(**)", "list": "read(**)", "grep": "read(**)", "write": "write(**)", "patch": "write(**)", "webfetch": "fetch(*)", "websearch": "fetch(*)",
	}
	rule, ok := kinds[tool]
	if !ok {
		p.leave(from, "mayi has no rule for this tool", a != permissions.ActionAllow)
		return
	}
	p.add(a, rule, from, "")
}

// geminiPolicy reads a policy file. A higher priority wins in Gemini CLI; in mayi
// a deny does, and then an ask, so that what comes out is never looser.
func (p *Policy) geminiPolicy(s Source) error {
	var file struct {
		Rule []struct {
			ToolName      any
			McpName       string
			CommandPrefix any
			CommandRegex  string
			ArgsPattern   string
			Decision      string
			Modes         []string
		}
	}
	var raw struct{ Rule []map[string]any }
	for _, into := range []any{&file, &raw} {
		if err := toml.Unmarshal(s.Text, into); err != nil {
			return fmt.Errorf("the policy cannot be read: %w", err)
		}
	}
	for i, r := range file.Rule {
		from := fmt.Sprintf("rule %d (%v)", i+1, r.ToolName)
		action, ok := map[string]permissions.Action{"allow": permissions.ActionAllow, "ask_user": permissions.ActionAsk, "deny": permissions.ActionDeny}[r.Decision]
		if !ok {
			p.leave(from, fmt.Sprintf("the decision %q is not known", r.Decision), true)
			continue
		}
		if action == permissions.ActionAllow && narrowed(raw.Rule[i]) {
			p.leave(from, "mayi's rules have no such conditions; what it covers is asked about", false)
			continue
		}
		tools, err := list(r.ToolName)
		prefixes, err2 := list(r.CommandPrefix)
		if err != nil || err2 != nil || len(tools) == 0 || len(prefixes) == 0 {
			p.leave(from, "its tools or commands are no text and no list of texts", true)
			continue
		}
		if len(prefixes) > 1 && slices.Contains(prefixes, "") {
			p.leave(from, "one of its commands is empty", action != permissions.ActionAllow)
			continue
		}
		for _, tool := range tools {
			switch {
			case r.McpName == "*" && orStar(tool) == "*":
				p.add(action, "mcp(*.*)", from, "")
			case r.McpName != "":
				p.server(action, r.McpName, orStar(tool), from, "")
			case tool == "run_shell_command" && prefixes[0] != "":
				for _, prefix := range prefixes {
					p.command(action, prefix+":*", from)
				}
			case tool == "*" && action != permissions.ActionAllow:
				p.everything(action, from)
			case tool == "run_shell_command" || tool == "*":
				p.command(action, "*", from)
			case strings.HasPrefix(tool, "mcp_"), strings.Contains(tool, "__"):
				p.geminiTool(action, tool)
			case strings.Contains(tool, "*") && action != permissions.ActionAllow:
				p.everything(action, from)
			default:
				p.own(action, tool, from)
			}
		}
	}
	return nil
}

// narrowed reports whether a rule holds a condition that mayi's rules lack, or
// one that is not known.
func narrowed(rule map[string]any) bool {
	for key := range rule {
		switch strings.ToLower(key) {
		case "toolname", "mcpname", "commandprefix", "decision", "priority", "denymessage", "name", "description":
		default:
			return true
		}
	}
	return false
}

func orStar(tool string) string {
	if tool == "" {
		return "*"
	}
	return tool
}

// list is a text or a list of texts as a list; nothing is one empty text.
func list(v any) ([]string, error) {
	if v == nil {
		return []string{""}, nil
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return texts(raw)
}
