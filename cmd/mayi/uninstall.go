package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"mayi/internal/install"
)

func (c *command) uninstallCommand() *cobra.Command {
	f := installFlags{uninstall: true}
	cmd := &cobra.Command{
		Use:   "uninstall AGENT",
		Short: "Take mayi out of a coding agent's settings",
		Long: `Undoes what mayi install did. A file that nobody has changed since gets the exact
bytes of before; from others mayi's own entries are taken, and nothing else.`,
		Example: "  mayi uninstall claude-code\n  mayi uninstall codex --dry-run",
		Args:    cobra.ExactArgs(1), ValidArgs: install.Names(),
		RunE: func(_ *cobra.Command, args []string) error { return c.uninstall(args[0], f) },
	}
	c.installFlags(cmd, &f)
	return cmd
}

func (c *command) uninstall(name string, f installFlags) error {
	p, _, err := c.places()
	if err != nil {
		return err
	}
	i := install.New(p)
	_, err = i.Find(name)
	if err := f.check(err); err != nil {
		return err
	}
	plan, err := i.PlanRemoval(name, install.Scope(f.scope))
	if err != nil {
		return failure("", err)
	}
	out := installed{Agent: name, Scope: plan.Scope, Changes: plan.Changes, Notes: c.elsewhere(i, name, plan.Scope)}
	c.showPlan(plan, "")
	switch {
	case f.dryRun:
		return c.report(out, "nothing was written")
	case plan.Empty():
		return c.report(out, "mayi is not in the "+string(plan.Scope)+" settings of "+plan.Title)
	case !f.yes:
		if err := c.agree("Write this?"); err != nil {
			return err
		}
	}
	if err := i.Apply(plan); err != nil {
		return failure("", err)
	}
	out.Written = true
	return c.report(out, "mayi is out of the "+string(plan.Scope)+" settings of "+plan.Title)
}

// elsewhere notes the other scopes in which mayi is installed.
func (c *command) elsewhere(i *install.Installer, name string, s install.Scope) []string {
	st, err := i.Status(name)
	if err != nil {
		return nil
	}
	var out []string
	for _, in := range st.Installs {
		if in.Scope != s {
			out = append(out, fmt.Sprintf("it is installed in the %s scope too: mayi uninstall %s --scope %s", in.Scope, name, in.Scope))
		}
	}
	return out
}
