package hook

import (
	"errors"
	"io/fs"
	"os"

	"mayi/internal/wire"
	"mayi/pkg/config"
	"mayi/pkg/permissions"
)

// switchOff refuses a change of the agent's settings that takes its hooks out of
// force: one that switches them off, and one that drops mayi's from a file that
// its installer put it into. A file that cannot be read for it is refused as
// well: the agent keeps the settings that it has.
func (h *hook) switchOff(c *call) outcome {
	none := outcome{verdict: permissions.Allow, silent: true}
	name, _ := c.input["file"].(string)
	if name == "" {
		return none
	}
	stateDir := h.o.StateDir
	if stateDir == "" {
		stateDir = config.FromEnvironAt(c.cwd).StateDir
	}
	command, err := installedIn(stateDir, h.agent.name, name)
	if err != nil {
		return refusal("whether the changed settings %s should hold mayi's hook cannot be told, so they do not count in this session: %v", name, err)
	}
	data, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && command == "":
		return none
	case err != nil:
		return refusal("the changed settings %s cannot be read, so they do not count in this session", name)
	}
	in, err := wire.Object(data, MaxInput)
	if err != nil {
		return refusal("the changed settings %s do not count in this session: %v", name, err)
	}
	if off, set := in["disableAllHooks"]; set && off != false {
		return refusal("%s switches all hooks off, mayi's among them (disableAllHooks); it does not count in this session", name)
	}
	if command != "" && !(calls(in, "PreToolUse", command) && calls(in, "ConfigChange", command)) {
		return refusal("%s no longer holds mayi's hooks as they were installed; it does not count in this session (mayi uninstall %s takes them out for the next)", name, h.agent.name)
	}
	return none
}
