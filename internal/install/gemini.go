package install

func gemini() agent {
	const name = "gemini"
	folder := func(p Places) string { return under(p.env("GEMINI_CLI_HOME", p.Home), ".gemini") }
	system := func(p Places) string {
		return p.env("GEMINI_CLI_SYSTEM_SETTINGS_PATH", under(p.Etc, "gemini-cli", "settings.json"))
	}
	return agent{
		name: name, title: "Gemini CLI", programs: []string{"gemini"}, folder: folder,
		scopes: []Scope{User, Project, Managed},
		targets: func(p Places, s Scope) []target {
			want := []entry{hooked("BeforeTool", hookGroup{"*", []commandHook{
				{Type: "command", Name: "mayi", Command: p.command(name, seconds(name)), Timeout: 1000 * seconds(name)},
			}})}
			file := map[Scope]string{
				User: under(folder(p), "settings.json"), Project: p.project(".gemini", "settings.json"), Managed: system(p),
			}[s]
			if s == Managed {
				// These settings win over a project's.
				want = append(want, entry{path: []string{"hooksConfig", "enabled"}, value: true})
			}
			return []target{{file: file, edit: entries{name, want}}}
		},
		guarded: seconds(name),
		expands: true,
		events:  []string{"BeforeTool"},
		probes: func(p Places) []probe {
			call := func(command string) any {
				return map[string]any{
					"session_id": proofSession, "cwd": p.Cwd, "hook_event_name": "BeforeTool", "timestamp": "2026-01-01T00:00:00.000Z",
					"tool_name": "run_shell_command", "tool_input": map[string]any{"command": command},
				}
			}
			return []probe{denied("BeforeTool", call(p.forbidden())), passed("BeforeTool", call(Harmless)), broken("BeforeTool")}
		},
		read: func(_ string, a answer) (bool, string) { return readGemini(a) },
		off: func(p Places) []string {
			files := []string{under(folder(p), "settings.json"), p.project(".gemini", "settings.json")}
			out := switchedOff(false, []string{"hooksConfig", "enabled"}, files...)
			return append(out, listedOff("mayi", []string{"hooksConfig", "disabled"}, files...)...)
		},
		blind: []string{
			"A project's .gemini/settings.json that says hooksConfig.enabled = false switches your own hooks off. The managed scope wins over it.",
			"Past its time limit a hook lets the call through. mayi answers before, and the installed command line ends a mayi that hangs, where the machine has `timeout`.",
			"The agent's own question still comes in its default mode: an allow of mayi does not stand in for it. Start it with --approval-mode yolo to be asked by mayi alone.",
			"Whether a person is there is not told to the hook. What has to be asked waits in `mayi approvals`.",
		},
	}
}
