package hook

import (
	"strings"
	"time"

	"mayi/pkg/permissions"
)

// picoclaw speaks PicoClaw's process hooks: JSON-RPC 2.0, one message a line.
// approve_tool decides; before_tool would let the call run after five seconds,
// so that nothing is decided there.
func picoclaw() agent {
	return agent{
		name: "picoclaw", limit: time.Minute,
		read: func(in map[string]any, at around) (call, error) {
			c := call{cwd: at.cwd}
			c.root = c.cwd
			var name string
			if err := fields(in, map[string]*string{"tool": &name}); err != nil {
				return c, err
			}
			if m, ok := in["meta"].(map[string]any); ok {
				c.session = text(m, "SessionKey")
			}
			raw, err := object(in, "arguments")
			if err != nil {
				return c, err
			}
			if name == "" {
				return c, errNoTool
			}
			c.picoclawTool(name, raw)
			return c, nil
		},
		write: func(_ *call, o outcome) reply {
			return reply{stdout: approved{Approved: o.verdict == permissions.Allow, Reason: o.reason}}
		},
	}
}

// approved is the result of hook.approve_tool.
type approved struct {
	Approved bool   `json:"approved"`
	Reason   string `json:"reason,omitempty"`
}

// picoclawTool are PicoClaw's tools.
func (c *call) picoclawTool(name string, raw map[string]any) {
	switch name {
	case "exec":
		c.exec(raw)
	case "read_file", "load_image":
		c.builtin("read", raw, "path")
	case "send_file":
		// It reads a file and sends it to somebody.
		c.unknown("picoclaw", name, raw)
	case "write_file", "append_file":
		c.builtin("write", raw, "path")
	case "edit_file":
		c.builtin("edit", raw, "path")
	case "list_dir":
		c.builtin("ls", raw, "path")
	case "web_fetch":
		c.web(raw, "url")
	case "web_search":
		c.builtin("web_search", raw)
	case "spawn", "subagent", "reaction", "message":
		c.own("todo", raw) // what a sub-agent calls is asked about by itself
	case "spawn_status", "tool_search":
		c.own("tool_search", raw)
	default:
		if joined, ok := strings.CutPrefix(name, "mcp_"); ok && c.split(joined, "_", raw) {
			return
		}
		c.unknown("picoclaw", name, raw)
	}
}

// exec is PicoClaw's shell tool: run starts a command, write and send-keys type
// into one that is running, which is running something as well.
func (c *call) exec(raw map[string]any) {
	switch action := text(raw, "action"); action {
	case "", "run":
		if action == "" && raw["action"] != nil && raw["action"] != "" {
			c.unknown("picoclaw", "exec", raw)
			return
		}
		c.shell(raw, "command", "cwd")
	case "list", "poll", "read":
		c.own("tool_search", raw)
	case "kill":
		c.own("todo", raw)
	default:
		c.unknown("picoclaw", "exec "+action, raw)
	}
}
