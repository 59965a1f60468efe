package main

import (
	"fmt"

	"mayi/internal/install"
	"mayi/pkg/approval"
	"mayi/pkg/config"
)

// installed is what install and uninstall print with --json.
type installed struct {
	Agent      string           `json:"agent"`
	Scope      install.Scope    `json:"scope"`
	Changes    []install.Change `json:"changes"`
	Written    bool             `json:"written"`
	Notes      []string         `json:"notes"`
	Proofs     []install.Proof  `json:"proofs"`
	BlindSpots []string         `json:"blindSpots,omitempty"`
	Error      string           `json:"error,omitempty"`
}

// showPlan prints the changes for a person.
func (c *command) showPlan(plan *install.Plan, policy string) {
	if c.flags.json {
		return
	}
	if policy != "" {
		fmt.Fprintf(c.out, "mayi has no settings yet. This starting policy would be written to %s:\n\n%s\n", approval.Line(policy), config.UserTemplate)
	}
	style := c.style(c.out)
	for _, ch := range plan.Changes {
		c.showDiff(ch.Diff)
		fmt.Fprintln(c.out)
	}
	for _, n := range plan.Notes {
		fmt.Fprintln(c.out, style.Yellow("note: ")+approval.Visible(n))
	}
}

// report prints how it went.
func (c *command) report(out installed, word string) error {
	if out.Changes == nil {
		out.Changes = []install.Change{}
	}
	if out.Notes == nil {
		out.Notes = []string{}
	}
	if out.Proofs == nil {
		out.Proofs = []install.Proof{}
	}
	if c.flags.json {
		return c.print(out)
	}
	c.printProofs(out.Proofs)
	for _, ch := range out.Changes {
		if ch.Backup != "" && out.Written {
			fmt.Fprintf(c.out, "kept the text of before in %s\n", approval.Line(ch.Backup))
		}
	}
	for _, n := range out.Notes {
		fmt.Fprintln(c.out, c.style(c.out).Yellow("note: ")+approval.Visible(n))
	}
	if len(out.BlindSpots) > 0 {
		fmt.Fprintln(c.out, "\nWhat a hook cannot do here:")
		for _, b := range out.BlindSpots {
			fmt.Fprintln(c.out, "  - "+b)
		}
		fmt.Fprintln(c.out)
	}
	_, err := fmt.Fprintln(c.out, word)
	return err
}

func (c *command) printProofs(proofs []install.Proof) {
	style := c.style(c.out)
	for _, p := range proofs {
		mark := style.Green("ok  ")
		switch {
		case p.Skipped:
			mark = style.Yellow("skip")
		case !p.OK:
			mark = style.Red("bad ")
		}
		fmt.Fprintf(c.out, "%s %s (%s)\n", mark, approval.Line(p.Name), approval.Line(p.Text))
	}
}
