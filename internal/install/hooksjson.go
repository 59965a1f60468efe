package install

// commandHook is one hook in the settings of Claude Code and its kin.
type commandHook struct {
	Type      string `json:"type"`
	Name      string `json:"name,omitempty"`
	Command   string `json:"command"`
	Timeout   int    `json:"timeout,omitempty"`
	OnFailure string `json:"onFailure,omitempty"`
}

// hookGroup is what these settings have a list of, for each event.
type hookGroup struct {
	Matcher string        `json:"matcher,omitempty"`
	Hooks   []commandHook `json:"hooks"`
}

// hooked is the entry for one event.
func hooked(event string, group any) entry {
	return entry{path: []string{"hooks", event}, list: true, value: group}
}
