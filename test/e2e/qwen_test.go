package e2e

import (
	"path/filepath"

	"mayi/test/e2e/model"
)

var qwen = &agent{
	name: "qwen", program: "qwen",
	start: func(modules string) []string {
		return []string{node(modules), filepath.Join(modules, "node_modules/@qwen-code/qwen-code/cli-entry.js")}
	},
	configure: func(w *world) {
		probe := w.probeCommand()
		w.json("home/.qwen/settings.json", map[string]any{
			"general":    map[string]any{"enableAutoUpdate": false, "disableAutoUpdate": true},
			"privacy":    map[string]any{"usageStatisticsEnabled": false},
			"telemetry":  map[string]any{"enabled": false},
			"security":   map[string]any{"auth": map[string]any{"selectedType": "openai"}, "folderTrust": map[string]any{"enabled": false}},
			"mcpServers": map[string]any{"probe": map[string]any{"command": probe[0], "args": probe[1:], "trust": true}},
			"context":    map[string]any{"includeDirectories": []any{w.out}},
		})
	},
	args: func(*world) []string { return []string{"-p", prompt, "--approval-mode", "yolo"} },
	env: func(w *world) []string {
		return []string{"OPENAI_BASE_URL=" + w.model.URL() + "/v1", "OPENAI_API_KEY=none", "OPENAI_MODEL=scripted"}
	},
	shell: func(command string) model.Call {
		return call("run_shell_command", map[string]any{"command": command, "is_background": false, "description": "scripted"})
	},
	read: func(path string) model.Call { return call("read_file", map[string]any{"file_path": path}) },
	write: func(path, content string) model.Call {
		return call("write_file", map[string]any{"file_path": path, "content": content})
	},
	// MCP tools stand behind one tool that calls them by name.
	mcp: func(tool, text string) model.Call {
		return call("tool_call", map[string]any{"name": "mcp__probe__" + tool, "arguments": map[string]any{"text": text}})
	},
}
