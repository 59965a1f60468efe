package hook

import "mayi/pkg/permissions"

// Named is a call of an agent's tool, read by the agent's own names for its
// tools and their arguments.
type Named struct {
	Tool  permissions.Tool
	Input map[string]any
	// Also are other readings of a name that can be split in several ways: a rule
	// that denies one of them, or says to ask about it, holds for the call.
	Also []permissions.Tool
	// Wrong says what makes it a call that nobody can decide; "" is nothing.
	Wrong string
}

// Read reads a call of the tool that the agent, one of [Names], calls tool. cwd
// is where relative folders of the call start. It is false for an agent whose
// tools are not known by name here.
func Read(agent, tool, cwd string, input map[string]any) (Named, bool) {
	c := call{cwd: cwd}
	switch agent {
	case "claude-code":
		c.claudeTool(tool, input, nil)
	case "codex":
		c.codexTool(tool, input, nil)
	case "gemini", "qwen":
		c.geminiTool(agent, tool, input, nil)
	case "opencode":
		c.opencodeTool(tool, input)
	default:
		return Named{}, false
	}
	return Named{Tool: c.tool, Input: c.input, Also: c.also, Wrong: c.wrong}, true
}
