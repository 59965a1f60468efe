package main

import (
	"github.com/spf13/cobra"

	"mayi/internal/install"
)

// examineAgents repeats, for each installed hook, the proof that a forbidden
// call is denied.
func (c *command) examineAgents(cmd *cobra.Command) []finding {
	p, _, err := c.proving(cmd)
	if err != nil {
		return []finding{{What: "agents", Text: err.Error()}}
	}
	i := install.New(p)
	var out []finding
	for _, name := range install.Names() {
		s, err := i.Status(name)
		if err != nil {
			out = append(out, finding{What: name, Text: err.Error()})
			continue
		}
		for _, in := range s.Installs {
			for _, problem := range in.Problems {
				out = append(out, finding{What: name, Text: problem})
			}
			proofs, err := i.Prove(name, in.Scope)
			if err != nil {
				out = append(out, finding{What: name, Text: err.Error()})
			}
			for _, pr := range proofs {
				out = append(out, finding{What: name, OK: pr.OK || pr.Skipped, Text: string(in.Scope) + ": " + pr.Name + " (" + pr.Text + ")"})
			}
		}
	}
	return out
}
