package hook

import (
	"time"

	"mayi/internal/wire"
	"mayi/pkg/config"
	"mayi/pkg/permissions"
)

// copilot speaks the hooks of GitHub Copilot CLI. The spelling of the event's
// name decides about the payload's names and about the answer that is
// understood: preToolUse takes a flat one, PreToolUse Claude Code's. The tools'
// inputs keep Copilot's own names in both.
func copilot() agent {
	return agent{
		name: "copilot", limit: 30 * time.Second,
		read:    readCopilot,
		write:   copilotReply,
		prompts: func(*call) bool { return true },
		// Where nobody can answer, its own "ask" ends as a deny at once.
		attended: func(_ *call, alone func() bool, _ config.HooksConfig) bool { return !alone() },
		rewrites: func(c *call) bool { return c.kind == before },
	}
}

func readCopilot(in map[string]any, at around) (call, error) {
	c := call{root: at.env["COPILOT_PROJECT_DIR"]}
	var name string
	if _, pascal := in["hook_event_name"]; pascal {
		err := c.claude(in, "copilot", (*call).copilotTool)
		return c, err
	}
	err := fields(in, map[string]*string{"hookName": &c.event, "sessionId": &c.session, "cwd": &c.cwd, "toolName": &name})
	if err != nil {
		return c, err
	}
	input := in["toolArgs"]
	if _, asks := in["toolInput"]; c.event == "permissionRequest" || c.event == "" && asks {
		c.kind, c.event, input = question, "permissionRequest", in["toolInput"]
	} else {
		c.event = "preToolUse"
	}
	raw, err := embedded(input)
	if err != nil {
		return c, err
	}
	if name == "" {
		return c, errNoTool
	}
	c.copilotTool(name, raw, in)
	return c, nil
}

// copilotTool are Copilot CLI's tools, by their own names and by those that the
// PascalCase event gives them.
func (c *call) copilotTool(name string, raw, _ map[string]any) {
	switch name {
	case "bash", "Bash", "shell", "powershell":
		c.shell(raw, "command")
	case "view", "Read":
		c.builtin("read", raw, "path", "file_path")
	case "create", "Write":
		c.builtin("write", raw, "path", "file_path")
	case "edit", "Edit", "str_replace", "str_replace_editor", "insert":
		c.builtin("edit", raw, "path", "file_path")
	case "apply_patch":
		c.patch("copilot", raw, "patch", "input", "patchText")
	case "glob", "Glob":
		c.builtin("glob", many(raw), "pattern", "paths")
	case "grep", "Grep", "rg":
		c.builtin("grep", many(raw), "pattern", "paths")
	case "web_fetch", "WebFetch":
		c.web(raw, "url")
	case "web_search", "WebSearch":
		c.builtin("web_search", raw)
	case "task", "Task", "Agent", "write_agent", "stop_bash", "skill", "Skill", "update_todo", "TodoWrite", "report_intent", "store_memory", "sql":
		c.own("todo", raw)
	case "read_bash", "list_bash", "list_agents", "read_agent", "fetch_copilot_cli_documentation", "ask_user", "exit_plan_mode", "tool_search":
		c.own("tool_search", raw)
	default:
		if !c.split(name, "-", raw) {
			c.unknown("copilot", name, raw)
		}
	}
}

// many is the input with a "paths" that is one text made a list.
func many(raw map[string]any) map[string]any {
	s, ok := raw["paths"].(string)
	if !ok {
		return raw
	}
	out := make(map[string]any, len(raw))
	for k, v := range raw {
		out[k] = v
	}
	out["paths"] = []any{s}
	return out
}

// copilotReply is the answer in the shape that the calling event understands;
// where the event could not be read, in both, with a code that denies.
func copilotReply(c *call, o outcome) reply {
	switch c.event {
	case "preToolUse":
	case "permissionRequest":
		if o.silent || o.verdict == permissions.Ask {
			return reply{}
		}
		return reply{stdout: questioned(c, outcome{verdict: o.verdict, reason: o.reason}).fields()}
	case "":
		both := flat("deny", o.reason)
		both = append(both, wire.Field{Name: "hookSpecificOutput", Value: answer{Event: "PreToolUse", Permission: "deny", Reason: o.reason}.fields()})
		return reply{stdout: both, stderr: o.reason, exit: 2}
	default:
		return claudeReply(c, o, true)
	}
	word := "deny"
	switch o.verdict {
	case permissions.Allow:
		word = "allow"
	case permissions.Ask:
		word = "ask"
	}
	out := flat(word, o.reason)
	if word != "deny" && o.command != "" {
		out = append(out, wire.Field{Name: "modifiedArgs", Value: map[string]any{c.key: o.command}})
	}
	return reply{stdout: out}
}

func flat(word, reason string) wire.Fields {
	return wire.Fields{{Name: "permissionDecision", Value: word}}.Text("permissionDecisionReason", reason)
}
