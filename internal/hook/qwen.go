package hook

import (
	"time"

	"mayi/pkg/config"
	"mayi/pkg/permissions"
)

// qwen speaks the hooks of Qwen Code: Claude Code's events and words, Gemini
// CLI's tools. PreToolUse is the gate that always runs and changes no input;
// PermissionRequest answers in place of the question and may change it.
func qwen() agent {
	return agent{
		name: "qwen", limit: time.Minute,
		read: func(in map[string]any, at around) (call, error) {
			c := call{root: at.env["QWEN_PROJECT_DIR"], plan: text(in, "permission_mode") == "plan"}
			return c, c.claude(in, "qwen", func(c *call, name string, raw, in map[string]any) { c.geminiTool("qwen", name, raw, in) })
		},
		write: func(c *call, o outcome) reply {
			if c.plan && c.kind == question && o.verdict == permissions.Allow {
				o.silent = true // an answer would run it in a mode that only looks
			}
			return claudeReply(c, o, true)
		},
		prompts: func(*call) bool { return true },
		// Where nobody can answer, its own "ask" ends as a deny at once.
		attended: func(_ *call, alone func() bool, _ config.HooksConfig) bool { return !alone() },
		rewrites: func(c *call) bool { return c.kind == question && !c.plan },
	}
}
