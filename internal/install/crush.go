package install

// crushHook is one hook of crush.json: no inner list, no type.
type crushHook struct {
	Command string `json:"command"`
	Matcher string `json:"matcher"`
	Timeout int    `json:"timeout"`
}

func crush() agent {
	const name = "crush"
	folder := func(p Places) string { return p.env("CRUSH_GLOBAL_CONFIG", under(p.ConfigHome, "crush")) }
	return agent{
		name: name, title: "Crush", programs: []string{"crush"}, folder: folder,
		scopes: []Scope{User, Project},
		targets: func(p Places, s Scope) []target {
			file := map[Scope]string{User: under(folder(p), "crush.json"), Project: p.project("crush.json")}[s]
			return []target{{file: file, edit: entries{name, []entry{hooked("PreToolUse", crushHook{p.command(name, seconds(name)), "", seconds(name)})}}}}
		},
		guarded: seconds(name),
		events:  []string{"PreToolUse"},
		probes: func(p Places) []probe {
			call := func(command string) any {
				return map[string]any{
					"event": "PreToolUse", "session_id": proofSession, "cwd": p.Cwd, "tool_name": "bash",
					"tool_input": map[string]any{"command": command},
				}
			}
			return []probe{denied("PreToolUse", call(p.forbidden())), passed("PreToolUse", call(Harmless)), broken("PreToolUse")}
		},
		read: func(_ string, a answer) (bool, string) { return readCrush(a) },
		off:  func(Places) []string { return nil },
		blind: []string{
			"Calls inside its sub-agents reach no hook: the read-only tools of `agent` and `agentic_fetch` run unseen. Deny mcp(crush.agent) and mcp(crush.agentic_fetch) where every read has to be seen.",
			"There is no question of its own that a hook can ask for. What has to be asked waits in `mayi approvals`.",
			"Past its time limit a hook lets the call through. mayi answers before, and the installed command line ends a mayi that hangs, where the machine has `timeout`.",
		},
	}
}
