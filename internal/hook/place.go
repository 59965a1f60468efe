package hook

import (
	"mayi/pkg/config"
	"mayi/pkg/workspace"
)

// Config is where the settings for a call at this place lie.
func (p Place) Config() config.Options {
	o := config.FromEnvironAt(p.Cwd)
	o.Workspace = p.Workspace
	if o.Workspace == "" && p.Root != "" {
		o.Workspace = workspace.FindRoot(p.Root, o.Home)
	}
	if len(p.Override) > 0 {
		o.Override = p.Override
	}
	return o
}
