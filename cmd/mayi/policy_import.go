package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mayi/internal/importer"
	"mayi/pkg/approval"
	"mayi/pkg/config"
)

// importFlags are those of policy import.
type importFlags struct {
	write       string
	yes, strict bool
}

func (c *command) policyImportCommand() *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:   "import " + strings.Join(importer.Names(), "|") + " [FILE...]",
		Short: "Translate another agent's rules into settings",
		Long: `Reads the rules of an agent and prints them as settings of mayi's, and to
standard error what could not be translated or came out stricter, and why. Without
a FILE all of the agent's files are read that are there: the machine's, the
project's, your own.

What comes out is never looser than what went in. Where it would be, nothing is
written, and the exit code is 1. --write adds the rules to the user's or the
project's settings, after showing the change and asking; what stands there stays.
What a project's file allows holds in that project alone, so that it is left out of
your own settings.`,
		Example: `  mayi policy import claude-code
  mayi policy import claude-code --write user
  mayi policy import codex ~/.codex/config.toml ~/.codex/rules/default.rules --strict
  mayi policy import opencode opencode.json --write project --yes`,
		Args:      cobra.MinimumNArgs(1),
		ValidArgs: importer.Names(),
		RunE:      func(_ *cobra.Command, args []string) error { return c.importPolicy(args[0], args[1:], f) },
	}
	cmd.Flags().StringVar(&f.write, "write", "", "add the rules to these settings: user or project")
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "with --write: do it without a question")
	cmd.Flags().BoolVar(&f.strict, "strict", false, "fail, and write nothing, where something could not be translated")
	complete(cmd, "write", "user", "project")
	return cmd
}

func (c *command) importPolicy(agent string, files []string, f importFlags) error {
	if f.write != "" && f.write != "user" && f.write != "project" {
		return usage("--write %q is not known; it is user or project", f.write)
	}
	if !slices.Contains(importer.Names(), agent) {
		return usage("the rules of %q cannot be read; known are %s", agent, strings.Join(importer.Names(), ", "))
	}
	if f.write == "" && f.yes {
		return usage("--yes goes with --write")
	}
	if f.write != "" && !f.yes && c.flags.json {
		return usage("--json asks nothing: give --yes with it")
	}
	o, err := c.configOptions()
	if err != nil {
		return err
	}
	settings, _ := config.Load(o)
	o = settings.Options()
	sources, err := readRules(agent, files, o)
	if err != nil {
		return err
	}
	p, err := importer.Import(agent, sources...)
	if err != nil {
		return failure("mend the file, or name others", err)
	}
	p.For(map[string]importer.Scope{"user": importer.User, "project": importer.Project}[f.write])
	if err := c.tellImport(p, sources, f.write == ""); err != nil {
		return err
	}
	if looser := p.Looser(); len(looser) > 0 {
		return failure("mend these rules in the source, or write the settings by hand", fmt.Errorf("%d rules would be lost, and the settings looser than the source; nothing was written", len(looser)))
	}
	if f.strict && len(p.Left) > 0 {
		return failure("without --strict they are left out", fmt.Errorf("%d rules could not be translated; nothing was written", len(p.Left)))
	}
	if f.write == "" {
		return nil
	}
	return c.writeImport(o, p, f)
}

// tellImport prints what became of the rules; show says whether the settings are
// what is asked for.
func (c *command) tellImport(p *importer.Policy, sources []importer.Source, show bool) error {
	if c.flags.json {
		var files []string
		for _, s := range sources {
			files = append(files, s.File)
		}
		return c.print(map[string]any{"files": files, "settings": p.Settings(), "entries": p.Entries, "left": p.Left})
	}
	at := func(file string) string {
		if file == "" || len(sources) == 1 {
			return ""
		}
		return " (" + approval.Line(file) + ")"
	}
	style := c.style(c.err)
	for _, s := range sources {
		fmt.Fprintf(c.err, "%s %s\n", style.Dim("read"), approval.Line(s.File))
	}
	for _, e := range p.Entries {
		if e.Note != "" {
			fmt.Fprintf(c.err, "%s %s%s → %s %s: %s\n", style.Yellow("changed"), approval.Line(e.From), at(e.File), e.List, approval.Line(e.Rule), e.Note)
		}
	}
	for _, l := range p.Left {
		word := style.Dim("left out")
		if l.Looser {
			word = style.Red("lost")
		}
		fmt.Fprintf(c.err, "%s %s%s: %s\n", word, approval.Line(l.From), at(l.File), approval.Line(l.Why))
	}
	if !show {
		return nil
	}
	text, err := json.MarshalIndent(p.Settings(), "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.out, string(text))
	return err
}

// readRules reads the files, or all of the agent's that are there.
func readRules(agent string, files []string, o config.Options) ([]importer.Source, error) {
	var out []importer.Source
	for _, file := range files {
		abs, err := filepath.Abs(file)
		if err != nil {
			return nil, failure("", err)
		}
		text, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, failure("without a name, the agent's own files are read", fmt.Errorf("there is no %s", file))
		}
		if err != nil {
			return nil, failure("", err)
		}
		out = append(out, importer.Source{File: file, Text: text, Scope: importer.ScopeOf(agent, abs, o.Home)})
	}
	if len(files) > 0 {
		return out, nil
	}
	root := ""
	if o.ProjectFile != "" {
		root = filepath.Dir(filepath.Dir(o.ProjectFile))
	}
	if root == o.Home {
		root = ""
	}
	for _, place := range importer.Places(agent, o.Home, root) {
		found, err := filepath.Glob(place.Pattern)
		if err != nil {
			return nil, failure("name the files", err)
		}
		for _, file := range found {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, failure("what it says would be missing; name the files that are to be read", err)
			}
			out = append(out, importer.Source{File: file, Text: text, Scope: place.Scope})
		}
	}
	if len(out) == 0 {
		return nil, failure("name the files: mayi policy import "+agent+" FILE...", fmt.Errorf("no settings of %s were found", agent))
	}
	return out, nil
}
