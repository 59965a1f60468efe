package install

import "mayi/pkg/workspace"

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
					"sessionId": proofSession, "timestamp": int64(1767225600000), "cwd": p.Cwd, "toolName": "bash",
					"toolArgs": map[string]any{"command": command},
				}
			}
			return []probe{denied("preToolUse", call(p.forbidden())), passed("preToolUse", call(Harmless)), broken("preToolUse")}
		},
		read: func(_ string, a answer) (bool, string) { return readCopilot(a) },
		off: func(p Places) []string {
			// It reads Claude Code's settings as well, and all of them only in a
			// folder that it trusts; a person trusts one with a key.
			return switchedOff(true, []string{"disableAllHooks"},
				p.project(".github", "copilot", "settings.json"), p.project(".github", "copilot", "settings.local.json"),
				p.project(".claude", "settings.json"), p.project(".claude", "settings.local.json"))
		},
		confirm: func(p Places, s Scope) (Proof, bool) {
			if s != Project {
				return Proof{}, false
			}
			return copilotTrusts(p, under(folder(p), "config.json")), true
		},
		blind: []string{
			"In a folder that Copilot trusts, a repository whose .github/copilot/settings.json or .claude/settings.json (or settings.local.json beside them) says disableAllHooks switches your own hooks off from the start of a session.",
			"A project's hooks run only where Copilot trusts the folder; elsewhere it skips them in silence.",
			"Past its time limit a hook lets the call through. mayi answers before, and the installed command line ends a mayi that hangs, where the machine has `timeout`.",
			"An MCP tool is named SERVER-TOOL: where a server's name holds a dash, every way to split it is judged.",
		},
	}
}

// copilotTrusts reports whether Copilot runs the hooks of this project: it does
// where it trusts the folder or one above.
func copilotTrusts(p Places, config string) Proof {
	out := Proof{Name: "the folder is trusted by Copilot"}
	var trusted []string
	if d := readJSON(config); d != nil {
		for _, key := range []string{"trusted_folders", "trustedFolders"} {
			var list []string
			if d.Get(&list, key) == nil {
				trusted = append(trusted, list...)
			}
		}
	}
	for _, dir := range trusted {
		if workspace.Within(p.Workspace, dir) {
			out.OK, out.Text = true, dir
			return out
		}
	}
	out.Text = "Copilot skips the hooks of a folder that it does not trust: start copilot in " + p.Workspace + " once and trust it"
	return out
}
