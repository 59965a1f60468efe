package install

// cursorHook is one hook of Cursor's hooks.json. failClosed blocks where the
// hook fails, timeout is in seconds.
type cursorHook struct {
	Command    string `json:"command"`
	Timeout    int    `json:"timeout"`
	FailClosed bool   `json:"failClosed"`
}

func cursor() agent {
	const name = "cursor"
	events := []string{"beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "preToolUse"}
	return agent{
		name: name, title: "Cursor", programs: []string{"cursor-agent", "cursor"}, folder: func(p Places) string { return p.home(".cursor") },
		scopes: []Scope{User, Project, Managed},
		targets: func(p Places, s Scope) []target {
			file := map[Scope]string{
				User: p.home(".cursor", "hooks.json"), Project: p.project(".cursor", "hooks.json"), Managed: under(p.Etc, "cursor", "hooks.json"),
			}[s]
			want := []entry{{path: []string{"version"}, value: 1, keep: true}}
			for _, event := range events {
				want = append(want, hooked(event, cursorHook{p.command(name, 0), seconds(name), true}))
			}
			return []target{{file: file, edit: entries{name, want}}}
		},
		events: events,
		probes: func(p Places) []probe {
			call := func(event string, more map[string]any) any {
				in := map[string]any{
					"conversation_id": proofSession, "generation_id": "proof", "hook_event_name": event, "cursor_version": "2.0.0",
					"workspace_roots": []string{p.Cwd},
				}
				for k, v := range more {
					in[k] = v
				}
				return in
			}
			shell := func(command string) any {
				return call("beforeShellExecution", map[string]any{"command": command, "cwd": p.Cwd})
			}
			return []probe{
				denied("beforeShellExecution", shell(p.forbidden())), passed("beforeShellExecution", shell(Harmless)), broken("beforeShellExecution"),
				denied("preToolUse", call("preToolUse", map[string]any{"tool_name": "Shell", "tool_input": map[string]any{"command": p.forbidden()}})),
			}
		},
		read: func(_ string, a answer) (bool, string) { return readCursor(a) },
		off:  func(Places) []string { return nil },
		blind: []string{
			"Its hooks were built from the documentation: the program could not be run here, so the proof is by payloads alone.",
			"Tab completions and what the person does in the editor pass no hook of mayi's.",
			"Versions that do not know failClosed let a call through where the hook fails or passes its time limit.",
		},
	}
}
