package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mayi/internal/install"
	"mayi/pkg/config"
	"mayi/pkg/workspace"
)

// installFlags are what install and uninstall share.
type installFlags struct {
	scope               string
	yes, dryRun, force  bool
	noPolicy, uninstall bool
}

func (c *command) installCommand() *cobra.Command {
	var f installFlags
	cmd := &cobra.Command{
		Use:   "install AGENT",
		Short: "Put mayi in front of a coding agent",
		Long: `Adds mayi's hook to an agent's settings, so that every tool call of it is decided
here. The change is shown and asked about before anything is written; comments,
order and other hooks in the settings stay as they are. At the end payloads go
through the very command line that was written, and a forbidden call has to be
denied: otherwise everything is put back.

Agents: ` + strings.Join(install.Names(), ", ") + `.
docs/agents.md says what each of them lets a hook see.`,
		Example: "  mayi install claude-code\n  mayi install codex --dry-run\n  mayi install gemini --scope project --yes",
		Args:    cobra.ExactArgs(1), ValidArgs: install.Names(),
		RunE: func(cmd *cobra.Command, args []string) error { return c.install(cmd, args[0], f) },
	}
	c.installFlags(cmd, &f)
	cmd.Flags().BoolVar(&f.force, "force", false, "install although the agent is not found on this machine")
	cmd.Flags().BoolVar(&f.noPolicy, "no-policy", false, "do not offer a starting policy where mayi has no settings")
	return cmd
}

func (c *command) installFlags(cmd *cobra.Command, f *installFlags) {
	cmd.Flags().StringVar(&f.scope, "scope", "user", "whose settings: user, project or managed (the whole machine)")
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "do it without a question")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "show the change and write nothing")
	complete(cmd, "scope", "user", "project", "managed")
}

// check is the complaint about an agent or a scope that is not known; finding is
// the error of looking for the agent.
func (f installFlags) check(finding error) error {
	if finding != nil {
		return usage("%v", finding)
	}
	if !slices.Contains([]install.Scope{install.User, install.Project, install.Managed}, install.Scope(f.scope)) {
		return usage("--scope %q is not known; it is user, project or managed", f.scope)
	}
	return nil
}

func (c *command) install(cmd *cobra.Command, name string, f installFlags) error {
	p, o, err := c.proving(cmd)
	if err != nil {
		return err
	}
	i := install.New(p)
	found, err := i.Find(name)
	if err := f.check(err); err != nil {
		return err
	}
	if !found.Any() && !f.force {
		return failure("install it first, or give --force", fmt.Errorf("%s was not found: neither its program on the PATH nor its settings folder", name))
	}
	settings, _ := config.Load(o)
	if len(settings.Problems) > 0 {
		return failure("mend them first: until then nothing that would run is allowed, in the agent either", fmt.Errorf("mayi's own settings are broken: %w", settings.Problems))
	}
	plan, err := i.Plan(name, install.Scope(f.scope))
	if err != nil {
		return failure("", err)
	}
	policy := ""
	if !f.noPolicy && !anySettings(o) && o.UserFile != "" {
		policy = o.UserFile
	}
	out := installed{Agent: name, Scope: plan.Scope, Changes: plan.Changes, Notes: plan.Notes}
	c.showPlan(plan, policy)
	switch {
	case f.dryRun:
		return c.report(out, "nothing was written")
	case plan.Empty() && policy == "":
	case !f.yes:
		if err := c.agree("Write this?"); err != nil {
			return err
		}
	}
	if policy != "" {
		if err := config.ReplaceLayer(o, "user", nil, []byte(config.UserTemplate)); err != nil {
			return failure("", err)
		}
		out.Notes = append(out.Notes, "wrote the starting policy to "+policy)
	}
	if err := c.apply(i, &plan, f.yes); err != nil {
		return failure("", errors.Join(err, withdraw(policy)))
	}
	return c.tryOut(i, plan, policy, out)
}

// apply writes a plan. Where a file has changed since, as by an install that
// runs at the same time, somebody who was not asked need not look again.
func (c *command) apply(i *install.Installer, plan **install.Plan, unasked bool) error {
	err := i.Apply(*plan)
	for n := 0; n < 3 && unasked && errors.Is(err, install.ErrChanged); n++ {
		again, perr := i.Plan((*plan).Agent, (*plan).Scope)
		if perr != nil {
			return perr
		}
		*plan, err = again, i.Apply(again)
	}
	return err
}

// withdraw takes back a starting policy that was written a moment ago.
func withdraw(policy string) error {
	if policy == "" {
		return nil
	}
	real, err := workspace.Canonical(policy)
	if err != nil {
		return err
	}
	return workspace.Remove(real)
}

// tryOut proves that what was written holds, and reports.
func (c *command) tryOut(i *install.Installer, plan *install.Plan, policy string, out installed) error {
	out.Changes, out.Written = plan.Changes, !plan.Empty()
	proofs, err := i.Prove(plan.Agent, plan.Scope)
	if err != nil {
		return failure("", errors.Join(err, i.Revert(plan), withdraw(policy)))
	}
	out.Proofs = proofs
	status, err := i.Status(plan.Agent)
	if err != nil {
		return failure("", err)
	}
	out.BlindSpots = status.BlindSpots
	if failed := install.Failed(proofs); failed != "" {
		return c.takeBack(i, plan, policy, out, failed)
	}
	word := "mayi is in front of " + plan.Title
	if plan.Empty() {
		word += ", as it was before"
	}
	return c.report(out, word)
}

// takeBack undoes an install that does not do what it should.
func (c *command) takeBack(i *install.Installer, plan *install.Plan, policy string, out installed, failed string) error {
	out.Error = failed
	err := fmt.Errorf("the hook does not hold:\n%s", failed)
	if undo := errors.Join(i.Revert(plan), withdraw(policy)); undo != nil {
		err = errors.Join(err, undo)
	} else if out.Written || policy != "" {
		out.Written = false
		err = fmt.Errorf("%w\neverything was put back", err)
	}
	if c.flags.json {
		if perr := c.print(out); perr != nil {
			return perr
		}
		return exit{code: exitError}
	}
	c.printProofs(out.Proofs)
	return failure("mayi doctor tries it again", err)
}

func (c *command) agree(question string) error {
	if c.flags.json {
		return usage("--json asks nothing: give --yes or --dry-run with it")
	}
	yes, err := c.confirm("\n" + question + " Type yes and Enter: ")
	if err != nil {
		return failure("without a terminal, look at it with --dry-run and give --yes", err)
	}
	if !yes {
		fmt.Fprintln(c.out, "nothing was written")
		return exit{code: exitDeny}
	}
	return nil
}

func anySettings(o config.Options) bool {
	for _, f := range []string{o.ManagedFile, o.UserFile} {
		if _, err := os.Lstat(f); f != "" && err == nil {
			return true
		}
	}
	return false
}
