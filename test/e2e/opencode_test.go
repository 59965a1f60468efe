package e2e

import (
	"path/filepath"

	"mayi/test/e2e/model"
)

var opencode = &agent{
	name: "opencode", program: "opencode", rewrites: true,
	start: func(modules string) []string {
		return []string{filepath.Join(modules, "node_modules/opencode-linux-"+arch(), "bin/opencode")}
	},
	configure: func(w *world) {
		w.json("home/.config/opencode/opencode.json", map[string]any{
			"provider": map[string]any{"scripted": map[string]any{
				"npm": "@ai-sdk/openai-compatible", "name": "scripted",
				"options": map[string]any{"baseURL": w.model.URL() + "/v1", "apiKey": "none"},
				"models":  map[string]any{"scripted": map[string]any{"name": "scripted"}},
			}},
			"model": "scripted/scripted", "small_model": "scripted/scripted",
			"autoupdate": false, "share": "disabled",
			"permission": map[string]any{"*": "allow", "external_directory": "allow"},
			"mcp":        map[string]any{"probe": map[string]any{"type": "local", "command": w.probeCommand(), "enabled": true}},
		})
	},
	args: func(*world) []string { return []string{"run", prompt} },
	env: func(*world) []string {
		return []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1"}
	},
	shell: func(command string) model.Call {
		return call("bash", map[string]any{"command": command, "description": "scripted"})
	},
	read: func(path string) model.Call { return call("read", map[string]any{"filePath": path}) },
	write: func(path, content string) model.Call {
		return call("write", map[string]any{"filePath": path, "content": content})
	},
	mcp: func(tool, text string) model.Call { return call("probe_"+tool, map[string]any{"text": text}) },
}
