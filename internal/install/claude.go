package install

import (
	"encoding/json"
	"os"
	"path/filepath"
)

func claudeCode() agent {
	const name = "claude-code"
	hook := func(p Places) []commandHook {
		return []commandHook{{Type: "command", Command: p.command(name, 0), Timeout: seconds(name), OnFailure: "block"}}
	}
	folder := func(p Places) string { return p.env("CLAUDE_CONFIG_DIR", p.home(".claude")) }
	return agent{
		name: name, title: "Claude Code", programs: []string{"claude"}, folder: folder,
		scopes: []Scope{User, Project, Managed},
		targets: func(p Places, s Scope) []target {
			file := map[Scope]string{
				User: under(folder(p), "settings.json"), Project: p.project(".claude", "settings.json"),
				Managed: under(p.Etc, "claude-code", "managed-settings.json"),
			}[s]
			return []target{{file: file, edit: entries{name, []entry{
				hooked("PreToolUse", hookGroup{"*", hook(p)}),
				hooked("ConfigChange", hookGroup{Hooks: hook(p)}),
			}}}}
		},
		events: []string{"PreToolUse", "ConfigChange"},
		probes: func(p Places) []probe {
			pre := func(command string) any {
				return map[string]any{
					"session_id": proofSession, "cwd": p.Cwd, "hook_event_name": "PreToolUse", "permission_mode": "default",
					"tool_name": "Bash", "tool_input": map[string]any{"command": command}, "tool_use_id": "toolu_proof",
				}
			}
			return []probe{
				denied("PreToolUse", pre(p.forbidden())), passed("PreToolUse", pre(Harmless)), broken("PreToolUse"),
				{"ConfigChange: switching the hooks off is refused", "ConfigChange", blocked, func(dir string) ([]byte, error) {
					file := filepath.Join(dir, "settings.json")
					if err := os.WriteFile(file, []byte(`{"disableAllHooks":true}`), 0o600); err != nil {
						return nil, err
					}
					return json.Marshal(map[string]any{
						"session_id": proofSession, "cwd": p.Cwd, "hook_event_name": "ConfigChange", "source": "project_settings", "file_path": file,
					})
				}},
			}
		},
		read: func(_ string, a answer) (bool, string) { return readClaude(a, true) },
		off: func(p Places) []string {
			return switchedOff(true, []string{"disableAllHooks"},
				under(folder(p), "settings.json"), p.project(".claude", "settings.json"), p.project(".claude", "settings.local.json"))
		},
		blind: []string{
			"A repository whose .claude/settings.json or .claude/settings.local.json says disableAllHooks switches your own hooks off from the start of a session. In the middle of one, mayi's ConfigChange hook refuses it. A hook in the managed scope stays on.",
			"`claude --bare` runs no hooks but those of the managed scope.",
			"The hooks that a repository brings in its own .claude/settings.json are run by Claude Code itself, headless without a question: no hook sees what they do.",
			"Versions before 2.1.295 do not know onFailure: there a hook that passes its time limit lets the call through.",
		},
	}
}
