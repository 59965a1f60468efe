// Package caller works out what a remote caller gets of what it asks for.
package caller

import (
	"fmt"
	"strings"

	"mayi/pkg/approval"
	"mayi/pkg/permissions"
)

// Given is what a remote caller gets.
type Given struct {
	// Mode is the execution mode of its session.
	Mode permissions.Mode
	// Agent is what is left of the agent map that it sent.
	Agent map[string]any
	// Dropped are the keys that a client may not set, UnknownMode a mode that it
	// asked for and that does not exist.
	Dropped     []string
	UnknownMode string
}

// Limit limits what a caller asks for, in this order: the map is sanitised, the
// remote mode applied, and the result clamped. harness is the mode that the
// operator started the service with, "" for none.
func Limit(p permissions.Policy, harness permissions.Mode, agent map[string]any) Given {
	clean := permissions.SanitizeRemoteAgent(p, agent)
	g := Given{Agent: clean.Agent, Dropped: clean.Dropped, UnknownMode: clean.UnknownMode}
	own := map[string]any{}
	if harness != "" {
		own["executionMode"] = string(harness)
	}
	if p.MaxMode != "" {
		own["maxExecutionMode"] = string(p.MaxMode)
	}
	applied, _ := permissions.ApplyRemoteMode(p, own, clean.Agent["executionMode"])
	applied = permissions.ClampMode(applied)
	text, _ := applied["executionMode"].(string)
	if g.Mode = permissions.Mode(text); !g.Mode.Valid() {
		g.Mode = permissions.Plan
	}
	return g
}

// Report says in words what was given, for the caller.
func (g Given) Report() string {
	var b strings.Builder
	fmt.Fprintf(&b, "The execution mode is %s.", g.Mode)
	if g.UnknownMode != "" {
		fmt.Fprintf(&b, " The mode %q that was asked for is not known.", approval.Line(g.UnknownMode))
	}
	if len(g.Dropped) > 0 {
		fmt.Fprintf(&b, " What a remote caller may not set was left out: %s.", approval.Line(strings.Join(g.Dropped, ", ")))
	}
	return b.String()
}
