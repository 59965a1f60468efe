package hook

import (
	"strings"
	"time"

	"mayi/internal/wire"
	"mayi/pkg/config"
	"mayi/pkg/permissions"
)

// gemini speaks the hooks of Gemini CLI: BeforeTool. An answer "ask" hangs for
// ever where nobody sits in front of it, and nothing in the payload says so:
// hooks.gemini_prompt does.
func gemini() agent {
	return agent{
		name: "gemini", limit: time.Minute,
		read: func(in map[string]any, at around) (call, error) {
			c := call{event: text(in, "hook_event_name"), root: at.env["GEMINI_PROJECT_DIR"]}
			if c.event != "" && c.event != "BeforeTool" {
				c.beside(in, "AfterTool")
			}
			var name string
			err := fields(in, map[string]*string{"hook_event_name": &c.event, "session_id": &c.session, "cwd": &c.cwd, "tool_name": &name})
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
			c.geminiTool("gemini", name, raw, in)
			return c, nil
		},
		write:    geminiReply,
		prompts:  func(*call) bool { return true },
		attended: func(_ *call, alone func() bool, s config.HooksConfig) bool { return s.GeminiPrompt && !alone() },
		rewrites: func(*call) bool { return true },
	}
}

// geminiTool are the tools of Gemini CLI and of those that come from it.
func (c *call) geminiTool(agent, name string, raw map[string]any, in map[string]any) {
	switch name {
	case "run_shell_command":
		c.geminiShell(agent, raw)
	case "read_file":
		c.builtin("read", raw, "file_path", "absolute_path", "path")
	case "read_many_files":
		c.many(raw)
	case "write_file":
		c.builtin("write", raw, "file_path")
	case "replace", "edit":
		c.builtin("edit", raw, "file_path")
	case "notebook_edit":
		c.builtin("notebook_edit", raw, "notebook_path")
	case "list_directory":
		c.builtin("ls", raw, "dir_path", "path")
	case "grep_search", "search_file_content":
		c.builtin("grep", raw, "pattern", "dir_path", "path")
	case "glob":
		c.builtin("glob", raw, "pattern", "dir_path", "path")
	case "web_fetch":
		c.fetches(raw)
	case "google_web_search", "web_search":
		c.builtin("web_search", raw)
	case "invoke_agent", "agent", "task", "write_todos", "todo_write", "save_memory", "update_topic", "update_goal", "activate_skill", "skill",
		"complete_task", "exit_plan_mode", "enter_plan_mode":
		c.own("todo", raw)
	case "list_background_processes", "read_background_output", "get_internal_docs", "ask_user", "ask_user_question",
		"get_goal", "list_agents", "tool_search":
		c.own("tool_search", raw)
	default:
		c.geminiServer(agent, name, raw, in)
	}
}

// geminiShell is the shell tool. Each of the two has its own key for the folder
// and runs a command that has only the other's where the session is: such a call
// would be decided for another folder than it runs in.
func (c *call) geminiShell(agent string, raw map[string]any) {
	dir, other := "dir_path", "directory"
	if agent == "qwen" {
		dir, other = other, dir
	}
	c.shell(raw, "command", dir)
	if v := raw[other]; c.wrong == "" && v != nil && v != "" {
		c.wrong = "the command's folder has to be given as " + dir + ", not as " + other
	}
}

// geminiServer makes a call of an MCP tool (mcp_SERVER_TOOL, with the parts in
// mcp_context), or of one that is not known.
func (c *call) geminiServer(agent, name string, raw, in map[string]any) {
	if m, ok := in["mcp_context"].(map[string]any); ok {
		if server, tool := text(m, "server_name"), text(m, "tool_name"); server != "" && tool != "" {
			c.server(server, tool, raw)
			return
		}
	}
	if strings.HasPrefix(name, "mcp__") {
		c.mcp(agent, name, raw, in)
		return
	}
	if joined, ok := strings.CutPrefix(name, "mcp_"); ok && c.split(joined, "_", raw) {
		return
	}
	if c.split(name, "__", raw) { // older versions
		return
	}
	c.unknown(agent, name, raw)
}

// many is the tool that reads whatever matches a list of globs.
func (c *call) many(raw map[string]any) {
	c.builtin("find", raw)
	var list []any
	for _, k := range []string{"paths", "include"} {
		if more, ok := raw[k].([]any); ok {
			list = append(list, more...)
		}
	}
	// Its globs are looked for from the folder: the whole of it, and where one
	// leaves it.
	var globs []string
	for _, x := range list {
		s, ok := x.(string)
		if !ok {
			c.unknown("gemini", "read_many_files", raw)
			return
		}
		globs = append(globs, s)
	}
	c.input["pattern"] = "{" + strings.Join(globs, ",") + "}"
}

// fetches is the tool that is given URLs in a text. A text that names one is a
// fetch of it; without any, or with several, it is one that nobody can read.
func (c *call) fetches(raw map[string]any) {
	if _, ok := raw["url"].(string); ok {
		c.web(raw, "url")
		return
	}
	var urls []string
	for _, word := range strings.Fields(text(raw, "prompt")) {
		if i := strings.Index(word, "://"); i > 0 {
			urls = append(urls, strings.Trim(word, `"'<>()[],;`))
		}
	}
	if len(urls) != 1 || strings.Count(text(raw, "prompt"), "://") != 1 {
		c.unknown("gemini", "web_fetch", raw)
		return
	}
	c.builtin("web_fetch", raw)
	c.input["url"] = urls[0]
}

// geminiReply is the answer in Gemini CLI's words; the person is shown the
// systemMessage and not the reason.
func geminiReply(c *call, o outcome) reply {
	word, reason, message := "deny", o.reason, ""
	switch {
	case o.verdict == permissions.Allow || o.silent:
		word, reason = "allow", ""
	case o.verdict == permissions.Ask:
		word, message = "ask", o.person
	}
	out := wire.Fields{{Name: "decision", Value: word}}.Text("reason", reason).Text("systemMessage", message)
	if o.command != "" && word != "deny" {
		out = append(out, wire.Field{Name: "hookSpecificOutput", Value: wire.Fields{
			{Name: "hookEventName", Value: "BeforeTool"},
			{Name: "tool_input", Value: map[string]any{c.key: o.command}},
		}})
	}
	return reply{stdout: out}
}
