package install

func qwen() agent {
	const name = "qwen"
	folder := func(p Places) string { return p.env("QWEN_HOME", p.home(".qwen")) }
	return agent{
		name: name, title: "Qwen Code", programs: []string{"qwen"}, folder: folder,
		scopes: []Scope{User, Project, Managed},
		targets: func(p Places, s Scope) []target {
			group := hookGroup{"*", []commandHook{{Type: "command", Command: p.command(name, seconds(name)), Timeout: seconds(name)}}}
			want := []entry{hooked("PreToolUse", group), hooked("PermissionRequest", group)}
			file := map[Scope]string{
				User: under(folder(p), "settings.json"), Project: p.project(".qwen", "settings.json"),
				Managed: p.env("QWEN_CODE_SYSTEM_SETTINGS_PATH", under(p.Etc, "qwen-code", "settings.json")),
			}[s]
			if s == Managed {
				// These settings win over a project's.
				want = append(want, entry{path: []string{"disableAllHooks"}, value: false})
			}
			return []target{{file: file, edit: entries{name, want}}}
		},
		guarded: seconds(name),
		expands: true,
		events:  []string{"PreToolUse", "PermissionRequest"},
		probes: func(p Places) []probe {
			call := func(event, command string) any {
				return map[string]any{
					"session_id": proofSession, "cwd": p.Cwd, "hook_event_name": event, "permission_mode": "yolo",
					"tool_name": "run_shell_command", "tool_input": map[string]any{"command": command, "is_background": false}, "tool_use_id": "toolu_proof",
				}
			}
			return []probe{
				denied("PreToolUse", call("PreToolUse", p.forbidden())), passed("PreToolUse", call("PreToolUse", Harmless)), broken("PreToolUse"),
				denied("PermissionRequest", call("PermissionRequest", p.forbidden())),
			}
		},
		read: readQwen,
		off: func(p Places) []string {
			return switchedOff(true, []string{"disableAllHooks"}, under(folder(p), "settings.json"), p.project(".qwen", "settings.json"))
		},
		blind: []string{
			"A project's .qwen/settings.json that says disableAllHooks switches your own hooks off. The managed scope wins over it. Its bare and safe modes run no hooks either.",
			"In its default mode the person is asked first, and the deciding hook runs after the Yes: a refusal holds all the same.",
			"A command can be rewritten to run confined only where the agent would have asked on its screen; elsewhere it runs as it is, or is refused.",
			"Past its time limit a hook lets the call through. mayi answers before, and the installed command line ends a mayi that hangs, where the machine has `timeout`.",
		},
	}
}
