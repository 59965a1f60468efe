package e2e

import (
	"path/filepath"

	"mayi/test/e2e/model"
)

var claudeCode = &agent{
	name: "claude-code", program: "claude", rewrites: true,
	start: func(modules string) []string {
		return []string{filepath.Join(modules, "node_modules/@anthropic-ai/claude-code-linux-"+arch(), "claude")}
	},
	configure: func(w *world) {
		w.json("home/.claude/settings.json", map[string]any{
			"permissions": map[string]any{
				"allow":                 []any{"Bash", "Read", "Write", "Edit", "mcp__probe"},
				"additionalDirectories": []any{w.out},
			},
		})
		probe := w.probeCommand()
		w.json("home/.claude.json", map[string]any{
			"hasCompletedOnboarding": true,
			"mcpServers":             map[string]any{"probe": map[string]any{"command": probe[0], "args": probe[1:]}},
		})
	},
	args: func(*world) []string { return []string{"-p", prompt, "--model", "claude-sonnet-4-5"} },
	env: func(w *world) []string {
		return []string{
			"ANTHROPIC_BASE_URL=" + w.model.URL(), "ANTHROPIC_API_KEY=none",
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1",
		}
	},
	shell: func(command string) model.Call {
		return call("Bash", map[string]any{"command": command, "description": "scripted"})
	},
	read: func(path string) model.Call { return call("Read", map[string]any{"file_path": path}) },
	write: func(path, content string) model.Call {
		return call("Write", map[string]any{"file_path": path, "content": content})
	},
	mcp: func(tool, text string) model.Call {
		return call("mcp__probe__"+tool, map[string]any{"text": text})
	},
}
