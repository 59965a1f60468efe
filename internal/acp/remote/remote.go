// Package remote opens the gate for a caller that comes through an editor: it is
// a remote caller, whose mode the settings limit.
package remote

import (
	"mayi/internal/assembly"
	"mayi/internal/mcp/caller"
	"mayi/pkg/permissions"
)

// Open opens the gate in the mode that a remote caller gets who asks for
// requested, "" for none, and says which is the highest that it could get.
// harness is the mode that the operator asked for, "" for none; open puts the
// gate together under a mode, "" for the settings' own.
func Open(open func(permissions.Mode) (*assembly.App, error), harness, requested permissions.Mode) (app *assembly.App, ceiling permissions.Mode, err error) {
	app, err = open("")
	if err != nil {
		return nil, "", err
	}
	policy := app.Settings.Policy()
	given := limit(policy, harness, requested)
	ceiling = limit(policy, harness, permissions.Auto)
	if given == app.Settings.ExecutionMode {
		return app, ceiling, nil
	}
	_ = app.Close()
	app, err = open(given)
	return app, ceiling, err
}

func limit(p permissions.Policy, harness, requested permissions.Mode) permissions.Mode {
	sent := map[string]any{}
	if requested != "" {
		sent["executionMode"] = string(requested)
	}
	return caller.Limit(p, harness, sent).Mode
}
