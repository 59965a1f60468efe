package hook

import (
	"strings"
	"time"

	"mayi/internal/wire"
	"mayi/pkg/config"
	"mayi/pkg/permissions"
)

// claudeCode speaks the hooks of Claude Code: PreToolUse decides,
// PermissionRequest only refuses (Claude Code asks because the person's own
// settings say so, and an allow would pass over them), ConfigChange keeps the
// hooks from being switched off.
func claudeCode() agent {
	return agent{
		name: "claude-code", limit: time.Minute, tracks: true,
		read: func(in map[string]any, at around) (call, error) {
			// Where nothing is said, its own question is the answer: with nobody
			// there it refuses by itself.
			c := call{root: at.env["CLAUDE_PROJECT_DIR"], attended: at.env["CLAUDE_CODE_SESSION_ATTENDED"] != "0"}
			return c, c.claude(in, "claude-code", (*call).claudeTool)
		},
		write: func(c *call, o outcome) reply {
			if c.kind == question && o.verdict == permissions.Allow {
				o.silent = true
			}
			return claudeReply(c, o, true)
		},
		prompts:  func(*call) bool { return true },
		attended: func(c *call, _ func() bool, _ config.HooksConfig) bool { return c.attended },
		rewrites: func(c *call) bool { return c.kind == before },
	}
}

// claude reads the payload that Claude Code and those that took over its hooks
// send; tool makes a call of the tool's name and input.
func (c *call) claude(in map[string]any, agent string, tool func(c *call, name string, raw map[string]any, in map[string]any)) error {
	var name, file string
	c.event = text(in, "hook_event_name")
	switch c.event {
	case "", "PreToolUse":
	case "PermissionRequest":
		c.kind = question
	case "ConfigChange":
		c.kind = change
	default:
		c.beside(in, "PostToolUse", "PostToolUseFailure")
	}
	err := fields(in, map[string]*string{
		"hook_event_name": &c.event, "session_id": &c.session, "cwd": &c.cwd, "tool_name": &name, "file_path": &file,
	})
	if err != nil || c.kind == other {
		return err
	}
	if c.kind == change {
		c.input = map[string]any{"file": file}
		return nil
	}
	raw, err := object(in, "tool_input")
	if err != nil {
		return err
	}
	if name == "" {
		return errNoTool
	}
	tool(c, name, raw, in)
	return nil
}

// claudeTool are Claude Code's tools, those of older versions among them.
func (c *call) claudeTool(name string, raw map[string]any, in map[string]any) {
	switch name {
	case "Bash":
		c.shell(raw, "command")
	case "Monitor":
		if raw["command"] == nil {
			c.unknown("claude-code", name, raw)
			return
		}
		c.shell(raw, "command")
	case "Read", "NotebookRead":
		c.builtin("read", raw, "file_path", "notebook_path")
	case "Write":
		c.builtin("write", raw, "file_path")
	case "Edit":
		c.builtin("edit", raw, "file_path")
	case "MultiEdit":
		c.builtin("multi_edit", raw, "file_path")
	case "NotebookEdit":
		c.builtin("notebook_edit", raw, "notebook_path")
	case "Glob":
		c.builtin("glob", raw, "pattern", "path")
	case "Grep":
		c.builtin("grep", raw, "pattern", "path")
	case "LS":
		c.builtin("ls", raw, "path")
	case "WebFetch":
		c.web(raw, "url")
	case "WebSearch":
		c.builtin("web_search", raw)
	case "Agent", "Task", "TodoWrite", "TaskCreate", "TaskUpdate", "TaskStop", "KillShell", "KillBash", "Skill", "SlashCommand",
		"CronCreate", "CronDelete", "ScheduleWakeup", "SendMessage":
		c.own("todo", raw) // what a sub-agent calls comes here by itself
	case "TaskGet", "TaskList", "TaskOutput", "BashOutput", "AgentOutputTool", "CronList", "ListAgents", "ToolSearch", "ReportFindings",
		"AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "ListMcpResourcesTool":
		c.own("tool_search", raw)
	case "ReadMcpResourceTool":
		c.server(text(raw, "server"), "read_resource", raw)
	default:
		c.mcp("claude-code", name, raw, in)
	}
}

// mcp makes a call of a tool that is named mcp__SERVER__TOOL, or of one that is
// not known. Where the payload names the server, the name is split there.
func (c *call) mcp(agent, name string, raw, in map[string]any) {
	joined, ok := strings.CutPrefix(name, "mcp__")
	if !ok {
		c.unknown(agent, name, raw)
		return
	}
	if m, ok := in["mcp_server"].(map[string]any); ok {
		if server := text(m, "name"); server != "" {
			if tool, ok := strings.CutPrefix(joined, server+"__"); ok && tool != "" {
				c.server(server, tool, raw)
				return
			}
		}
	}
	if !c.split(joined, "__", raw) {
		c.unknown(agent, name, raw)
	}
}

// claudeReply is the answer in Claude Code's words. ask says whether the agent
// knows that word.
func claudeReply(c *call, o outcome, ask bool) reply {
	switch {
	case c.kind == change:
		if o.verdict == permissions.Allow {
			return reply{stdout: wire.Fields{}}
		}
		return reply{stdout: map[string]any{"decision": "block", "reason": o.reason}}
	case o.silent || c.kind == question && o.verdict == permissions.Ask:
		return reply{}
	case c.kind == question:
		return reply{stdout: hookOutput(answer{Event: "PermissionRequest", Decision: questioned(c, o)})}
	}
	a := answer{Event: "PreToolUse", Permission: "deny", Reason: o.reason}
	switch {
	case o.verdict == permissions.Allow:
		a.Permission, a.Context = "allow", o.note
	case o.verdict == permissions.Ask && ask:
		a.Permission, a.Context = "ask", o.note
	}
	if a.Permission != "deny" && o.command != "" {
		a.Input = c.replaced(o.command)
	}
	return reply{stdout: hookOutput(a)}
}

// answer is hookSpecificOutput.
type answer struct {
	Event      string
	Permission string
	Reason     string
	Input      map[string]any
	Context    string
	Decision   *behavior
}

func (a answer) fields() wire.Fields {
	f := wire.Fields{{Name: "hookEventName", Value: a.Event}}.
		Text("permissionDecision", a.Permission).
		Text("permissionDecisionReason", a.Reason)
	if a.Input != nil {
		f = append(f, wire.Field{Name: "updatedInput", Value: a.Input})
	}
	f = f.Text("additionalContext", a.Context)
	if a.Decision != nil {
		f = append(f, wire.Field{Name: "decision", Value: a.Decision.fields()})
	}
	return f
}

// behavior is the decision about a question that the agent would ask.
type behavior struct {
	Behavior string
	Message  string
	Input    map[string]any
}

func (d behavior) fields() wire.Fields {
	f := wire.Fields{{Name: "behavior", Value: d.Behavior}}.Text("message", d.Message)
	if d.Input != nil {
		f = append(f, wire.Field{Name: "updatedInput", Value: d.Input})
	}
	return f
}

func hookOutput(a answer) any { return wire.Fields{{Name: "hookSpecificOutput", Value: a.fields()}} }

func questioned(c *call, o outcome) *behavior {
	if o.verdict != permissions.Allow {
		return &behavior{Behavior: "deny", Message: o.reason}
	}
	b := &behavior{Behavior: "allow"}
	if o.command != "" {
		b.Input = c.replaced(o.command)
	}
	return b
}
