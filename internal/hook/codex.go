package hook

import (
	"strings"
	"time"

	"mayi/pkg/permissions"
)

// codex speaks the hooks of OpenAI Codex. It takes a deny only with a reason
// and without any other key, knows no "ask", and takes an allow only with a
// changed input: to let a call pass, nothing is printed.
func codex() agent {
	return agent{
		name: "codex", limit: time.Minute, wanders: true,
		read: func(in map[string]any, _ around) (call, error) {
			c := call{}
			err := c.claude(in, "codex", (*call).codexTool)
			c.root = sessionFolder(text(in, "transcript_path"))
			return c, err
		},
		write: func(c *call, o outcome) reply {
			o.note = "" // what it makes of one beside a changed input was not seen
			if c.kind == question {
				o.command = "" // its answer has no changed input
				if c.undecided && o.verdict == permissions.Allow {
					o.silent = true
				}
				return claudeReply(c, o, false)
			}
			if o.verdict == permissions.Allow && o.command == "" {
				return reply{}
			}
			if o.verdict == permissions.Allow {
				o.reason = ""
			}
			return claudeReply(c, o, false)
		},
		// A patch that is applied by a here-document is taken over by Codex
		// itself, so that it has to stay as it is.
		rewrites: func(c *call) bool { return c.kind == before },
	}
}

// codexTool are Codex's tools, by the names that its hooks use and by those that
// the model is given.
func (c *call) codexTool(name string, raw map[string]any, in map[string]any) {
	if host, ok := strings.CutPrefix(text(raw, "description"), "network-access "); ok && c.kind == question {
		// What the command would reach; Codex asks about more than reading.
		c.builtin("web_fetch", raw)
		c.input["url"] = "https://" + strings.TrimSpace(host) + "/"
		c.undecided = true
		return
	}
	switch name {
	case "Bash", "shell", "shell_command", "local_shell", "exec_command", "unified_exec":
		key := "command"
		if raw["command"] == nil && raw["cmd"] != nil {
			key = "cmd"
		}
		if body, ok := heredoc(text(raw, key)); ok {
			c.patch("codex", map[string]any{"patch": body}, "patch")
			return
		}
		c.shell(raw, key)
	case "apply_patch":
		c.patch("codex", raw, "command", "input", "patch")
	case "view_image":
		c.builtin("read", raw, "path")
	case "read_file":
		c.builtin("read", raw, "file_path", "path")
	case "list_dir":
		c.builtin("ls", raw, "dir_path", "path")
	case "grep_files":
		c.builtin("grep", raw, "pattern", "path")
	case "web_search":
		c.builtin("web_search", raw)
	case "update_plan", "update_goal", "create_goal", "spawn_agent", "send_message", "send_input", "followup_task", "interrupt_agent",
		"close_agent", "resume_agent", "collaborationspawn_agent", "collaborationsend_message", "collaborationfollowup_task", "collaborationinterrupt_agent":
		c.own("todo", raw)
	case "get_goal", "wait", "wait_agent", "list_agents", "collaborationwait_agent", "collaborationlist_agents", "tool_search",
		"request_user_input", "request_user_input_async", "list_mcp_resources", "list_mcp_resource_templates", "clocksleep":
		c.own("tool_search", raw)
	case "read_mcp_resource":
		c.server(text(raw, "server"), "read_resource", raw)
	default:
		c.mcp("codex", name, raw, in)
	}
}
