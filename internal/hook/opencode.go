package hook

import (
	"time"

	"mayi/internal/wire"
	"mayi/pkg/permissions"
)

// opencode speaks with mayi's own plugin for opencode, which hands over what
// its hook tool.execute.before is given, with the folder:
//
//	{"tool","sessionID","callID","args","cwd"} → {"decision":"allow"|"deny","reason"?,"args"?}
//
// args are fields to change in the call's arguments.
func opencode() agent {
	return agent{
		name: "opencode", limit: time.Minute,
		read: func(in map[string]any, _ around) (call, error) {
			c := call{event: "tool.execute.before"}
			var name string
			err := fields(in, map[string]*string{"tool": &name, "sessionID": &c.session, "callID": &c.id, "cwd": &c.cwd})
			if err != nil {
				return c, err
			}
			c.root = c.cwd
			raw, err := object(in, "args")
			if err != nil {
				return c, err
			}
			if name == "" {
				return c, errNoTool
			}
			c.opencodeTool(name, raw)
			return c, nil
		},
		write: func(c *call, o outcome) reply {
			if o.verdict != permissions.Allow {
				return reply{stdout: wire.Fields{{Name: "decision", Value: "deny"}}.Text("reason", o.reason)}
			}
			out := wire.Fields{{Name: "decision", Value: "allow"}}.Text("reason", o.reason)
			if o.command != "" {
				out = append(out, wire.Field{Name: "args", Value: map[string]any{c.key: o.command}})
			}
			return reply{stdout: out}
		},
		rewrites: func(*call) bool { return true },
	}
}

// opencodeTool are opencode's tools; an MCP server's is SERVER_TOOL.
func (c *call) opencodeTool(name string, raw map[string]any) {
	switch name {
	case "bash", "shell":
		c.shell(raw, "command", "workdir")
	case "read":
		c.builtin("read", raw, "filePath")
	case "write":
		c.builtin("write", raw, "filePath")
	case "edit":
		c.builtin("edit", raw, "filePath")
	case "multiedit":
		c.builtin("multi_edit", raw, "filePath")
	case "apply_patch", "patch":
		c.patch("opencode", raw, "patchText", "patch")
	case "glob":
		c.builtin("glob", raw, "pattern", "path")
	case "grep":
		c.builtin("grep", raw, "pattern", "path")
	case "list":
		c.builtin("ls", raw, "path")
	case "webfetch":
		c.web(raw, "url")
	case "websearch", "codesearch":
		c.builtin("web_search", raw)
	case "task", "todowrite", "skill":
		c.own("todo", raw)
	case "todoread", "question", "invalid":
		c.own("tool_search", raw)
	default:
		if !c.split(name, "_", raw) {
			c.unknown("opencode", name, raw)
		}
	}
}
