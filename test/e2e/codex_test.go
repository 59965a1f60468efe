package e2e

import (
	"fmt"
	"path/filepath"
	"strings"

	"mayi/test/e2e/model"
)

var codex = &agent{
	name: "codex", program: "codex", rewrites: true,
	start: func(modules string) []string {
		found, err := filepath.Glob(filepath.Join(modules, "node_modules/@openai/codex-linux-"+arch(), "vendor/*/bin/codex"))
		if err != nil || len(found) == 0 {
			return []string{filepath.Join(modules, "node_modules/@openai/codex")}
		}
		return found[:1]
	},
	configure: func(w *world) {
		probe := w.probeCommand()
		w.write("home/.codex/config.toml", fmt.Sprintf(`model = "gpt-5.5"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.scripted]
name = "scripted"
base_url = "%s/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
supports_websockets = false

[mcp_servers.probe]
command = %q
args = [%q, %q]
default_tools_approval_mode = "approve"

[projects.%q]
trust_level = "trusted"
`, w.model.URL(), probe[0], probe[1], probe[2], w.ws))
	},
	args: func(w *world) []string {
		return []string{"exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", prompt}
	},
	env: func(*world) []string { return []string{"SCRIPTED_KEY=none"} },
	shell: func(command string) model.Call {
		return call("exec_command", map[string]any{"cmd": command})
	},
	// Codex reads files with shell commands.
	read: func(path string) model.Call { return call("exec_command", map[string]any{"cmd": "cat " + path}) },
	write: func(path, content string) model.Call {
		return model.Call{Tool: "apply_patch", Text: "*** Begin Patch\n*** Add File: " + path + "\n+" + strings.TrimSuffix(content, "\n") + "\n*** End Patch\n"}
	},
	mcp: func(tool, text string) model.Call {
		return call("mcp__probe/"+tool, map[string]any{"text": text})
	},
}
