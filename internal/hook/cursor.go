package hook

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"mayi/internal/wire"
	"mayi/pkg/permissions"
)

// cursor speaks the hooks of Cursor: beforeShellExecution, beforeMCPExecution,
// beforeReadFile, and preToolUse for the rest of its tools.
func cursor() agent {
	return agent{
		name: "cursor", limit: 30 * time.Second,
		read:  func(in map[string]any, _ around) (call, error) { return readCursor(in) },
		write: cursorReply,
		// Of preToolUse the word is taken but not acted upon, and of beforeReadFile
		// it is none. A shell command and an MCP call come again, in the event of
		// their own, where it is.
		prompts: func(c *call) bool {
			return c.event != "beforeReadFile" && (c.event != "preToolUse" || c.twice)
		},
	}
}

func readCursor(in map[string]any) (call, error) {
	c := call{event: text(in, "hook_event_name")}
	var name, command, file string
	err := fields(in, map[string]*string{
		"hook_event_name": &c.event, "conversation_id": &c.session, "cwd": &c.cwd, "command": &command, "file_path": &file, "tool_name": &name,
	})
	if err != nil {
		return c, err
	}
	if roots, ok := in["workspace_roots"].([]any); ok && len(roots) > 0 {
		c.root, _ = roots[0].(string)
	}
	if c.cwd == "" {
		c.cwd = c.root
	}
	switch c.event {
	case "beforeShellExecution":
		c.shell(map[string]any{"command": in["command"]}, "command")
	case "beforeReadFile":
		c.builtin("read", map[string]any{"file_path": in["file_path"]}, "file_path")
	case "beforeMCPExecution":
		raw, err := embedded(in["tool_input"])
		if err != nil {
			return c, err
		}
		if name == "" {
			return c, errNoTool
		}
		c.server(serverName(text(in, "url"), command), name, raw)
	case "preToolUse":
		raw, err := embedded(in["tool_input"])
		if err != nil {
			return c, err
		}
		if name == "" {
			return c, errNoTool
		}
		c.cursorTool(name, raw)
	default:
		return c, fmt.Errorf("the event %q is not known", c.event)
	}
	return c, nil
}

// cursorTool are the tools that preToolUse names.
func (c *call) cursorTool(name string, raw map[string]any) {
	switch name {
	case "Shell":
		c.twice = true
		c.shell(raw, "command", "working_directory", "cwd")
	case "Read":
		c.builtin("read", raw, "file_path", "path")
	case "Write":
		c.builtin("write", raw, "file_path", "path")
	case "Edit", "StrReplace":
		c.builtin("edit", raw, "file_path", "path")
	case "Delete":
		c.builtin("edit", raw, "file_path", "path")
	case "NotebookEdit", "EditNotebook":
		c.builtin("notebook_edit", raw, "notebook_path", "target_notebook")
	case "Grep":
		c.builtin("grep", raw, "pattern", "path")
	case "Glob":
		c.builtin("glob", raw, "pattern", "path")
	case "LS":
		c.builtin("ls", raw, "path")
	case "WebFetch":
		c.web(raw, "url")
	case "WebSearch":
		c.builtin("web_search", raw)
	case "Task", "TodoWrite":
		c.own("todo", raw)
	default:
		if tool, ok := strings.CutPrefix(name, "MCP:"); ok && tool != "" {
			c.twice = true
			c.server("cursor", tool, raw)
			return
		}
		c.unknown("cursor", name, raw)
	}
}

// embedded is an object, or the text of one.
func embedded(v any) (map[string]any, error) {
	switch v := v.(type) {
	case map[string]any:
		return v, nil
	case string:
		out, err := wire.Object([]byte(v), MaxInput)
		if err != nil {
			return nil, fmt.Errorf("the tool's input cannot be used: %w", err)
		}
		return out, nil
	case json.Number, bool, []any:
		return nil, fmt.Errorf("the tool's input is no object")
	}
	return nil, fmt.Errorf("there is no tool input")
}

// serverName names an MCP server that the payload only tells the address or the
// command of: by the host, or by the program.
func serverName(address, command string) string {
	if u, err := url.Parse(address); err == nil && u.Hostname() != "" {
		return u.Hostname()
	}
	if words := strings.Fields(command); len(words) > 0 {
		return filepath.Base(words[0])
	}
	return "cursor"
}

// cursorReply is the answer in Cursor's words, under the names of its present
// and of its first version.
func cursorReply(c *call, o outcome) reply {
	word := "deny"
	switch {
	case o.verdict == permissions.Allow:
		word = "allow"
	case o.verdict == permissions.Ask:
		word = "ask"
	}
	out := map[string]any{"permission": word}
	if word != "allow" && c.event != "beforeReadFile" {
		out["user_message"], out["userMessage"] = o.person, o.person
		out["agent_message"], out["agentMessage"] = o.reason, o.reason
	}
	return reply{stdout: out}
}
