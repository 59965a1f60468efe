package hook

import (
	"strings"
	"time"

	"mayi/internal/wire"
	"mayi/pkg/permissions"
)

// crush speaks the hooks of Crush. It has no "ask", and to have no opinion is no
// substitute: its own list of harmless commands lets some through that write.
func crush() agent {
	return agent{
		name: "crush", limit: time.Minute,
		read: func(in map[string]any, at around) (call, error) {
			c := call{event: text(in, "event"), root: at.env["CRUSH_PROJECT_DIR"]}
			switch c.event {
			case "", "PreToolUse", "pre_tool_use":
			default:
				c.beside(in, "PostToolUse", "post_tool_use")
			}
			var name string
			err := fields(in, map[string]*string{"event": &c.event, "session_id": &c.session, "cwd": &c.cwd, "tool_name": &name})
			if err != nil || c.kind == other {
				return c, err
			}
			raw, err := object(in, "tool_input")
			if err != nil {
				return c, err
			}
			if name == "" {
				return c, errNoTool
			}
			c.crushTool(name, raw)
			return c, nil
		},
		write:    crushReply,
		rewrites: func(*call) bool { return true },
	}
}

// crushReply is the answer in Crush's words.
func crushReply(c *call, o outcome) reply {
	word := "deny"
	switch {
	case o.silent:
		word = "none"
	case o.verdict == permissions.Allow:
		word = "allow"
	}
	out := wire.Fields{{Name: "version", Value: 1}, {Name: "decision", Value: word}}
	if word == "deny" {
		return reply{stdout: out.Text("reason", o.reason)}
	}
	out = out.Text("context", o.note)
	if o.command != "" {
		out = append(out, wire.Field{Name: "updated_input", Value: map[string]any{c.key: o.command}})
	}
	return reply{stdout: out}
}

// crushTool are Crush's tools. What its sub-agents (agent, agentic_fetch) do
// comes to no hook, so that these two stay undeclared.
func (c *call) crushTool(name string, raw map[string]any) {
	switch name {
	case "bash":
		c.shell(raw, "command", "working_dir")
	case "view":
		c.builtin("read", raw, "file_path")
	case "write":
		c.builtin("write", raw, "file_path")
	case "edit":
		c.builtin("edit", raw, "file_path")
	case "multiedit":
		c.builtin("multi_edit", raw, "file_path")
	case "ls":
		c.builtin("ls", raw, "path")
	case "glob":
		c.builtin("glob", raw, "pattern", "path")
	case "grep":
		c.builtin("grep", raw, "pattern", "path")
	case "fetch":
		c.web(raw, "url")
	case "web_search", "sourcegraph":
		c.builtin("web_search", raw)
	case "todos", "job_kill":
		c.own("todo", raw)
	case "job_output", "crush_info", "crush_logs", "list_mcp_resources":
		c.own("tool_search", raw)
	case "read_mcp_resource":
		c.server(text(raw, "mcp_name"), "read_resource", raw)
	default:
		if joined, ok := strings.CutPrefix(name, "mcp_"); ok && c.split(joined, "_", raw) {
			return
		}
		c.unknown("crush", name, raw)
	}
}
