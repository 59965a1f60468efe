package e2e

import (
	"path/filepath"

	"mayi/test/e2e/model"
)

var copilot = &agent{
	name: "copilot", program: "copilot", rewrites: true,
	start: func(modules string) []string {
		return []string{filepath.Join(modules, "node_modules/@github/copilot-linux-"+arch(), "copilot")}
	},
	configure: func(w *world) {
		probe := w.probeCommand()
		w.json("home/.copilot/mcp-config.json", map[string]any{
			"mcpServers": map[string]any{"probe": map[string]any{"type": "local", "command": probe[0], "args": probe[1:], "tools": []any{"*"}}},
		})
	},
	args: func(*world) []string {
		return []string{"-p", prompt, "--allow-all-tools", "--allow-all-paths", "--no-color"}
	},
	env: func(w *world) []string {
		return []string{
			"COPILOT_OFFLINE=true", "COPILOT_PROVIDER_BASE_URL=" + w.model.URL() + "/v1",
			"COPILOT_PROVIDER_API_KEY=none", "COPILOT_MODEL=scripted", "COPILOT_AUTO_UPDATE=false",
		}
	},
	shell: func(command string) model.Call {
		return call("bash", map[string]any{"command": command, "description": "scripted"})
	},
	read: func(path string) model.Call { return call("view", map[string]any{"path": path}) },
	write: func(path, content string) model.Call {
		return call("create", map[string]any{"path": path, "file_text": content})
	},
	mcp: func(tool, text string) model.Call { return call("probe-"+tool, map[string]any{"text": text}) },
}
