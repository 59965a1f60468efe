package e2e

import (
	"path/filepath"

	"mayi/test/e2e/model"
)

var gemini = &agent{
	name: "gemini", program: "gemini", rewrites: true,
	start: func(modules string) []string {
		return []string{node(modules), filepath.Join(modules, "node_modules/@google/gemini-cli/bundle/gemini.js")}
	},
	configure: func(w *world) {
		probe := w.probeCommand()
		w.json("home/.gemini/settings.json", map[string]any{
			"general":    map[string]any{"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
			"privacy":    map[string]any{"usageStatisticsEnabled": false},
			"telemetry":  map[string]any{"enabled": false},
			"security":   map[string]any{"auth": map[string]any{"selectedType": "gemini-api-key"}, "folderTrust": map[string]any{"enabled": false}},
			"mcpServers": map[string]any{"probe": map[string]any{"command": probe[0], "args": probe[1:], "trust": true}},
			// Reading and writing outside of the workspace is the gate's to refuse.
			"context": map[string]any{"includeDirectories": []any{w.out}},
		})
	},
	args: func(*world) []string {
		return []string{"-p", prompt, "--approval-mode", "yolo", "-m", "gemini-2.5-flash"}
	},
	env: func(w *world) []string {
		return []string{"GOOGLE_GEMINI_BASE_URL=" + w.model.URL(), "GEMINI_API_KEY=none", "GEMINI_CLI_TRUST_WORKSPACE=true"}
	},
	shell: func(command string) model.Call {
		return call("run_shell_command", map[string]any{"command": command, "description": "scripted"})
	},
	read: func(path string) model.Call { return call("read_file", map[string]any{"file_path": path}) },
	write: func(path, content string) model.Call {
		return call("write_file", map[string]any{"file_path": path, "content": content})
	},
	mcp: func(tool, text string) model.Call { return call("mcp_probe_"+tool, map[string]any{"text": text}) },
}
