package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mayi/internal/importer"
	"mayi/pkg/approval"
	"mayi/pkg/config"
	"mayi/pkg/permissions"
)

func (c *command) policyImportCommand() *cobra.Command {
	var write string
	cmd := &cobra.Command{
		Use:   "import " + strings.Join(importer.Names(), "|") + " [FILE]",
		Short: "Translate another agent's rules into settings",
		Long: `Reads the rules of an agent and prints them as settings of mayi's, and to
standard error what could not be translated or came out stricter, and why. FILE is
the agent's settings file (for codex a file of rules, for gemini also a policy
file in TOML); without it the person's own is read.

What comes out is never looser than what went in. Where it would be, nothing is
written, and the exit code is 1. --write adds the rules to the user's or the
project's settings, and leaves what stands there.`,
		Example: `  mayi policy import claude-code
  mayi policy import claude-code .claude/settings.json --write project
  mayi policy import codex ~/.codex/rules/default.rules > settings.json`,
		Args:      cobra.RangeArgs(1, 2),
		ValidArgs: importer.Names(),
		RunE: func(_ *cobra.Command, args []string) error {
			return c.importPolicy(args[0], append(args, "")[1], write)
		},
	}
	cmd.Flags().StringVar(&write, "write", "", "add the rules to these settings: user or project")
	complete(cmd, "write", "user", "project")
	return cmd
}

func (c *command) importPolicy(agent, file, write string) error {
	if write != "" && write != "user" && write != "project" {
		return usage("--write %q is not known; it is user or project", write)
	}
	o, err := c.configOptions()
	if err != nil {
		return err
	}
	source, err := readRules(agent, file, o.Home)
	if err != nil {
		return err
	}
	p, err := importer.Import(agent, source)
	if err != nil {
		return failure("mend the file, or name another", err)
	}
	if c.flags.json {
		if err := c.print(map[string]any{"file": source.File, "settings": p.Settings(), "entries": p.Entries, "left": p.Left}); err != nil {
			return err
		}
	} else {
		c.tellImport(p)
		text, err := json.MarshalIndent(p.Settings(), "", "  ")
		if err != nil {
			return err
		}
		if write == "" {
			fmt.Fprintln(c.out, string(text))
		}
	}
	if looser := p.Looser(); len(looser) > 0 {
		return failure("mend these rules in the source, or write the settings by hand", fmt.Errorf("%d rules would be lost, and the settings looser than the source; nothing was written", len(looser)))
	}
	if write == "" {
		return nil
	}
	return c.writeImport(o, p, write)
}

func (c *command) tellImport(p *importer.Policy) {
	style := c.style(c.err)
	for _, e := range p.Entries {
		if e.Note != "" {
			fmt.Fprintf(c.err, "%s %s → %s %s: %s\n", style.Yellow("changed"), approval.Line(e.From), e.List, approval.Line(e.Rule), e.Note)
		}
	}
	for _, l := range p.Left {
		word := style.Dim("left out")
		if l.Looser {
			word = style.Red("lost")
		}
		fmt.Fprintf(c.err, "%s %s: %s\n", word, approval.Line(l.From), approval.Line(l.Why))
	}
}

func (c *command) writeImport(o config.Options, p *importer.Policy, layer string) error {
	actions := map[string]permissions.Action{"allow": permissions.ActionAllow, "ask": permissions.ActionAsk, "deny": permissions.ActionDeny}
	if err := writeScalars(o, p, layer); err != nil {
		return failure("", err)
	}
	n := 0
	for _, list := range []string{"deny", "ask", "allow"} { // the stricter ones first, in case it is cut off
		for _, e := range p.Entries {
			if e.List != list {
				continue
			}
			if err := config.AddRuleTo(o, layer, actions[list], e.Rule); err != nil {
				return failure("", fmt.Errorf("%d rules were added; then: %w", n, err))
			}
			n++
		}
	}
	return c.done(map[string]any{"added": n, "layer": layer}, fmt.Sprintf("%d rules are in the %s settings; mayi policy show lists them", n, layer))
}

// writeScalars writes what is no rule, before the rules: it tightens.
func writeScalars(o config.Options, p *importer.Policy, layer string) error {
	if p.Mode == "" && len(p.ReadPaths) == 0 {
		return nil
	}
	if layer != "user" || o.UserFile == "" {
		return fmt.Errorf("the source's mode and folders can only be written to the user's settings: --write user")
	}
	if p.Mode != "" {
		if err := config.Set(o.UserFile, []string{"executionMode"}, p.Mode); err != nil {
			return err
		}
	}
	for _, dir := range p.ReadPaths {
		if err := config.Append(o.UserFile, []string{"readPaths"}, dir); err != nil {
			return err
		}
	}
	return nil
}

// readRules reads the file, or the person's own of the agent.
func readRules(agent, file, home string) (importer.Source, error) {
	user := file == ""
	if user {
		places := map[string]string{
			"claude-code": ".claude/settings.json", "codex": ".codex/rules/default.rules", "gemini": ".gemini/settings.json", "opencode": ".config/opencode/opencode.json",
		}
		place, ok := places[agent]
		if !ok {
			return importer.Source{}, usage("the rules of %q cannot be read; known are %s", agent, strings.Join(importer.Names(), ", "))
		}
		file = filepath.Join(home, place)
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return importer.Source{}, failure("name the file: mayi policy import "+agent+" FILE", fmt.Errorf("there is no %s", file))
	}
	if err != nil {
		return importer.Source{}, failure("", err)
	}
	abs, err := filepath.Abs(file)
	return importer.Source{File: file, Text: text, User: user || err == nil && filepath.Dir(filepath.Dir(abs)) == home}, err
}

func (c *command) policyExportCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "export " + strings.Join(importer.Names(), "|"),
		Short: "Write the rules in force in another agent's words, where they can be said",
		Long: `Prints the rules that hold here in the words of an agent, and to standard error
those that cannot be said there. An agent reads
commands less closely than mayi does: a deny there sees less, and an allow covers
more, so look those through.`,
		Example:   "  mayi policy export claude-code\n  mayi policy export codex > ~/.codex/rules/mayi.rules",
		Args:      cobra.ExactArgs(1),
		ValidArgs: importer.Names(),
		RunE:      func(_ *cobra.Command, args []string) error { return c.exportPolicy(args[0]) },
	}
}

func (c *command) exportPolicy(agent string) error {
	o, err := c.configOptions()
	if err != nil {
		return err
	}
	s, err := config.Load(o)
	if err != nil {
		return failure("mayi doctor looks at the settings again", err)
	}
	var rules []permissions.Rule
	for _, list := range [][]permissions.Rule{s.Deny, s.Ask, s.Allow} {
		rules = append(rules, list...)
	}
	settings, left, err := importer.Export(agent, rules)
	if err != nil {
		return usage("%v", err)
	}
	if c.flags.json {
		return c.print(map[string]any{"settings": settings, "left": left})
	}
	for _, l := range left {
		fmt.Fprintf(c.err, "%s %s: %s\n", c.style(c.err).Dim("left out"), approval.Line(l.From), l.Why)
	}
	if text, ok := settings.(string); ok {
		fmt.Fprint(c.out, text)
		return nil
	}
	if agent == "claude-code" {
		settings = map[string]any{"permissions": settings}
	}
	return c.print(settings)
}
