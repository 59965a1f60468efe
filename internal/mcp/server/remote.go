package server

import (
	"mayi/internal/assembly"
	"mayi/internal/mcp/caller"
	"mayi/pkg/permissions"
)

// OpenRemote opens the gate in the mode of a remote caller that asks for none.
// harness is the mode that the operator asked for, "" for none.
func OpenRemote(open func(permissions.Mode) (*assembly.App, error), harness permissions.Mode) (*assembly.App, error) {
	app, _, err := openFor(open, harness, nil)
	return app, err
}

// openFor opens the gate in the mode of a remote caller that sent the agent map.
func openFor(open func(permissions.Mode) (*assembly.App, error), harness permissions.Mode, sent map[string]any) (*assembly.App, caller.Given, error) {
	app, err := open("")
	if err != nil {
		return nil, caller.Given{}, err
	}
	given := caller.Limit(app.Settings.Policy(), harness, sent)
	if given.Mode == app.Settings.ExecutionMode {
		return app, given, nil
	}
	_ = app.Close()
	app, err = open(given.Mode)
	return app, given, err
}
