package hook

import (
	"errors"
	"io/fs"
	"os"

	"mayi/internal/wire"
	"mayi/pkg/permissions"
)

// switchOff refuses a change of the agent's settings that takes its hooks out of
// force. A file that cannot be read for it is refused as well: the agent keeps
// the settings that it has.
func switchOff(c *call) outcome {
	name, _ := c.input["file"].(string)
	if name == "" {
		return outcome{verdict: permissions.Allow, silent: true}
	}
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return outcome{verdict: permissions.Allow, silent: true}
	}
	if err != nil {
		return refusal("the changed settings %s cannot be read, so they do not count in this session", name)
	}
	in, err := wire.Object(data, MaxInput)
	if err != nil {
		return refusal("the changed settings %s do not count in this session: %v", name, err)
	}
	if off, set := in["disableAllHooks"]; set && off != false {
		return refusal("%s switches all hooks off, mayi's among them (disableAllHooks); it does not count in this session", name)
	}
	return outcome{verdict: permissions.Allow, silent: true}
}
