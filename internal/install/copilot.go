package install

// copilotHook is one hook of Copilot CLI's hooks files.
type copilotHook struct {
	Type    string `json:"type"`
	Bash    string `json:"bash"`
	Timeout int    `json:"timeoutSec"`
}

func copilot() agent {
	const name = "copilot"
	folder := func(p Places) string { return p.env("COPILOT_HOME", p.home(".copilot")) }
	return agent{
		name: name, title: "GitHub Copilot CLI", programs: []string{"copilot"}, folder: folder,
		scopes: []Scope{User, Project},
		targets: func(p Places, s Scope) []target {
			file := map[Scope]string{User: under(folder(p), "hooks", "mayi.json"), Project: p.project(".github", "hooks", "mayi.json")}[s]
			// camelCase: the event's spelling decides in which words it is
			// answered.
			return []target{{file: file, edit: entries{name, []entry{
				{path: []string{"version"}, value: 1, keep: true},
				hooked("preToolUse", copilotHook{"command", p.command(name, seconds(name)), seconds(name)}),
			}}}}
		},
		guarded: seconds(name),
		events:  []string{"preToolUse"},
		probes: func(p Places) []probe {
			call := func(command string) any {
				return map[string]any{
					"sessionId": proofSession, "timestamp": 1767225600000, "cwd": p.Cwd, "toolName": "bash",
					"toolArgs": map[string]any{"command": command},
				}
			}
			return []probe{denied("preToolUse", call(p.forbidden())), passed("preToolUse", call(harmless)), broken("preToolUse")}
		},
		read: func(_ string, a answer) (bool, string) { return readCopilot(a) },
		off: func(p Places) []string {
			return switchedOff(true, []string{"disableAllHooks"},
				under(folder(p), "settings.json"), under(folder(p), "config.json"), under(folder(p), "hooks", "mayi.json"), p.project(".github", "hooks", "mayi.json"))
		},
		blind: []string{
			"disableAllHooks in its settings switches all hooks off.",
			"Past its time limit a hook lets the call through. mayi answers before, and the installed command line ends a mayi that hangs, where the machine has `timeout`.",
			"An MCP tool is named SERVER-TOOL: where a server's name holds a dash, every way to split it is judged.",
		},
	}
}
