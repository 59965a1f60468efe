package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mayi/internal/install"
	"mayi/pkg/approval"
	"mayi/pkg/config"
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
		RunE: func(_ *cobra.Command, args []string) error { return c.install(args[0], f) },
	}
	c.installFlags(cmd, &f)
	cmd.Flags().BoolVar(&f.force, "force", false, "install although the agent is not found on this machine")
	cmd.Flags().BoolVar(&f.noPolicy, "no-policy", false, "do not offer a starting policy where mayi has no settings")
	return cmd
}

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

func (c *command) installFlags(cmd *cobra.Command, f *installFlags) {
	cmd.Flags().StringVar(&f.scope, "scope", "user", "whose settings: user, project or managed (the whole machine)")
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "do it without a question")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "show the change and write nothing")
	complete(cmd, "scope", "user", "project", "managed")
}

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

// places says where the agents' settings and mayi lie.
func (c *command) places() (install.Places, config.Options, error) {
	o, err := c.configOptions()
	if err != nil {
		return install.Places{}, o, err
	}
	settings, _ := config.Load(o) // what is wrong with them is told where it matters
	o = settings.Options()
	program, err := program()
	if err != nil {
		return install.Places{}, o, failure("", err)
	}
	home := ""
	if o.UserFile != "" {
		home = filepath.Dir(filepath.Dir(o.UserFile))
	}
	return install.Places{
		Home: o.Home, ConfigHome: home, Workspace: o.Workspace, Cwd: o.Cwd, StateDir: o.StateDir,
		Etc: "/etc", Program: program, Getenv: os.Getenv,
	}, o, nil
}

// program is the path by which agents are to call mayi: the one on the PATH
// where that is this program, since an update may replace what it leads to.
func program() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("mayi's own path cannot be found: %w", err)
	}
	if onPath, err := exec.LookPath("mayi"); err == nil {
		if abs, err := filepath.Abs(onPath); err == nil && sameProgram(abs, self) {
			self = abs
		}
	}
	if !strings.HasPrefix(filepath.Base(self), "mayi") {
		return "", fmt.Errorf("this program is called %s; name it mayi, by which its entries are recognised", filepath.Base(self))
	}
	return self, nil
}

func sameProgram(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

func (c *command) install(name string, f installFlags) error {
	p, o, err := c.places()
	if err != nil {
		return err
	}
	i := install.New(p)
	found, err := i.Find(name)
	if err != nil {
		return usage("%v", err)
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
	return c.carryOut(i, plan, policy, out)
}

// carryOut writes, proves and reports.
func (c *command) carryOut(i *install.Installer, plan *install.Plan, policy string, out installed) error {
	if policy != "" {
		if err := writeSettings(policy, config.UserTemplate); err != nil {
			return failure("", err)
		}
		out.Notes = append(out.Notes, "wrote the starting policy to "+policy)
	}
	if err := i.Apply(plan); err != nil {
		return failure("", err)
	}
	out.Changes, out.Written = plan.Changes, !plan.Empty()
	proofs, err := i.Prove(plan.Agent, plan.Scope)
	if err != nil {
		return failure("", errors.Join(err, i.Revert(plan)))
	}
	out.Proofs = proofs
	status, err := i.Status(plan.Agent)
	if err != nil {
		return failure("", err)
	}
	out.BlindSpots = status.BlindSpots
	if failed := install.Failed(proofs); failed != "" {
		return c.takeBack(i, plan, out, failed)
	}
	word := "mayi is in front of " + plan.Title
	if plan.Empty() {
		word += ", as it was before"
	}
	return c.report(out, word)
}

// takeBack undoes an install that does not do what it should.
func (c *command) takeBack(i *install.Installer, plan *install.Plan, out installed, failed string) error {
	out.Error = failed
	err := fmt.Errorf("the hook does not hold:\n%s", failed)
	if !plan.Empty() {
		if undo := i.Revert(plan); undo != nil {
			err = errors.Join(err, undo)
		} else {
			out.Written = false
			err = fmt.Errorf("%w\neverything was put back", err)
		}
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

func (c *command) uninstall(name string, f installFlags) error {
	p, _, err := c.places()
	if err != nil {
		return err
	}
	i := install.New(p)
	if _, err := i.Find(name); err != nil {
		return usage("%v", err)
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

func (c *command) agree(question string) error {
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
		for _, line := range strings.Split(strings.TrimRight(ch.Diff, "\n"), "\n") {
			shown := approval.Visible(line)
			switch {
			case strings.HasPrefix(line, "+"):
				shown = style.Green(shown)
			case strings.HasPrefix(line, "-"):
				shown = style.Red(shown)
			}
			fmt.Fprintln(c.out, shown)
		}
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

func anySettings(o config.Options) bool {
	for _, f := range []string{o.ManagedFile, o.UserFile} {
		if _, err := os.Lstat(f); f != "" && err == nil {
			return true
		}
	}
	return false
}
