package install

import "path/filepath"

// picoclawProcess is a process hook of PicoClaw's.
type picoclawProcess struct {
	Enabled   bool     `json:"enabled"`
	Transport string   `json:"transport"`
	Command   []string `json:"command"`
	Intercept []string `json:"intercept"`
}

func picoclaw() agent {
	const name = "picoclaw"
	file := func(p Places) string {
		return p.env("PICOCLAW_CONFIG", filepath.Join(p.env("PICOCLAW_HOME", p.home(".picoclaw")), "config.json"))
	}
	return agent{
		name: name, title: "PicoClaw", programs: []string{"picoclaw"}, folder: func(p Places) string { return filepath.Dir(file(p)) },
		scopes: []Scope{User},
		targets: func(p Places, _ Scope) []target {
			return []target{{file: file(p), must: true, edit: entries{name, []entry{
				{path: []string{"hooks", "enabled"}, value: true},
				{path: []string{"hooks", "processes", "mayi"}, value: picoclawProcess{
					true, "stdio", []string{p.Program, "hook", name}, []string{"approve_tool"},
				}},
			}}}}
		},
		events: []string{"hook.approve_tool"},
		prove:  provePicoclaw,
		off: func(p Places) []string {
			return switchedOff(false, []string{"hooks", "enabled"}, file(p))
		},
		blind: []string{
			"A question waits in `mayi approvals` for at most 50 seconds and is refused then: a reply in the chat cannot reach a hook that waits.",
			"A hook process that dies is not started again: everything is refused until PicoClaw is restarted.",
			"What is typed into a program that is running already (exec with action write or send-keys) is judged as text: mayi does not see what that program makes of it.",
		},
	}
}
