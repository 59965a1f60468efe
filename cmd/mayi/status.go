package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"mayi/internal/install"
	"mayi/pkg/approval"
)

func (c *command) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show which coding agents mayi is in front of",
		Long: `Shows for every agent whether it is on this machine, where mayi's hook is in its
settings, what keeps the hook from working, and what the agent does not let a
hook see. It reads files and runs nothing; mayi doctor tries the hooks.

Exits with 1 where an installed hook has a problem.`,
		Example: "  mayi status\n  mayi status --json",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return c.status() },
	}
}

func (c *command) status() error {
	p, _, err := c.places()
	if err != nil {
		return err
	}
	i := install.New(p)
	var all []install.Status
	bad := false
	for _, name := range install.Names() {
		s, err := i.Status(name)
		if err != nil {
			return failure("", err)
		}
		for _, in := range s.Installs {
			bad = bad || len(in.Problems) > 0
		}
		all = append(all, s)
	}
	if c.flags.json {
		err = c.print(all)
	} else {
		err = c.printStatus(all)
	}
	if err == nil && bad {
		return exit{code: exitError}
	}
	return err
}

func (c *command) printStatus(all []install.Status) error {
	style := c.style(c.out)
	var b strings.Builder
	for _, s := range all {
		switch {
		case len(s.Installs) > 0:
		case s.Found.Any():
			fmt.Fprintf(&b, "%-12s %s\n", s.Agent, style.Yellow("not installed")+style.Dim(": mayi install "+s.Agent))
		default:
			fmt.Fprintf(&b, "%-12s %s\n", s.Agent, style.Dim("not on this machine"))
		}
		for _, in := range s.Installs {
			word := style.Green("installed")
			if len(in.Problems) > 0 {
				word = style.Red("not working")
			}
			fmt.Fprintf(&b, "%-12s %s (%s scope) %s\n", s.Agent, word, in.Scope, style.Dim(approval.Line(strings.Join(in.Files, ", "))))
			for _, p := range in.Problems {
				fmt.Fprintf(&b, "             %s\n", style.Red(approval.Line(p)))
			}
		}
		if len(s.Installs) > 0 {
			for _, spot := range s.BlindSpots {
				fmt.Fprintf(&b, "             - %s\n", spot)
			}
		}
	}
	_, err := fmt.Fprint(c.out, b.String())
	return err
}
