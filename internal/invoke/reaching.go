package invoke

import (
	"mayi/pkg/config"
	"mayi/pkg/gate"
)

// Reaching is what the front tells an engine of an access that a running
// command wants.
type Reaching struct {
	// Config is where the settings lie that the command was decided under.
	Config config.Options `json:"config"`
	// Agent: a coding agent runs the command, so that nobody looks at its
	// terminal.
	Agent   bool         `json:"agent"`
	Verdict gate.Verdict `json:"verdict"`
	Access  gate.Access  `json:"access"`
}
