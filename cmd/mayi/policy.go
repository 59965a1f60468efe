package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sort"
	"strings"

	"github.com/spf13/cobra"

	"mayi/internal/wire"
	"mayi/pkg/approval"
	"mayi/pkg/config"
	"mayi/pkg/permissions"
)

func (c *command) policyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "policy",
		Short:   "Show the policy in force; take rules from other agents and give them back",
		Example: "  mayi policy show\n  mayi policy schema > settings.schema.json",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		c.policyImportCommand(), c.policyExportCommand(),
		&cobra.Command{
			Use: "show", Short: "Show what holds here, and where each entry was written",
			Example: "  mayi policy show\n  mayi policy show --json\n  mayi policy show --workspace ~/project",
			Args:    cobra.NoArgs,
			RunE:    func(*cobra.Command, []string) error { return c.showPolicy() },
		},
		&cobra.Command{
			Use: "schema", Short: "Print the JSON Schema of a settings file",
			Example: "  mayi policy schema > settings.schema.json",
			Args:    cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error {
				_, err := fmt.Fprintln(c.out, strings.TrimRight(string(config.Schema()), "\n"))
				return err
			},
		},
	)
	return cmd
}

// shownPolicy is what policy show --json prints.
type shownPolicy struct {
	Version  string                 `json:"version"`
	Files    map[string]string      `json:"files"`
	Settings map[string]any         `json:"settings"`
	Sources  map[string]wire.Source `json:"sources"`
	Rules    []wire.Rule            `json:"rules"`
	Problems []string               `json:"problems"`
	Notices  []string               `json:"notices"`
}

func (c *command) showPolicy() error {
	o, err := c.configOptions()
	if err != nil {
		return err
	}
	s, _ := config.Load(o)
	o = s.Options()
	out := shownPolicy{
		Version: s.Version(), Settings: s.Effective(), Sources: map[string]wire.Source{}, Rules: []wire.Rule{}, Problems: []string{}, Notices: []string{},
		Files: map[string]string{"managed": o.ManagedFile, "user": o.UserFile, "project": o.ProjectFile},
	}
	for key, at := range s.Sources {
		out.Sources[key] = wire.Source{Layer: at.Layer, File: at.File, Line: at.Line, Col: at.Col}
	}
	for _, rules := range [][]permissions.Rule{s.Deny, s.Ask, s.Allow} {
		for _, r := range rules {
			out.Rules = append(out.Rules, wire.FromRule(r))
		}
	}
	for _, r := range s.AllowConfined {
		rule := wire.FromRule(r)
		rule.Action = "allowConfined"
		out.Rules = append(out.Rules, rule)
	}
	for _, p := range s.Problems {
		out.Problems = append(out.Problems, p.Error())
	}
	for _, n := range s.Warnings() {
		out.Notices = append(out.Notices, n.String())
	}
	if c.flags.json {
		return c.print(out)
	}
	return c.printPolicy(out)
}

func (c *command) printPolicy(p shownPolicy) error {
	style := c.style(c.out)
	var b strings.Builder
	for _, layer := range []string{"managed", "user", "project"} {
		if p.Files[layer] != "" {
			fmt.Fprintf(&b, "%-8s %s%s\n", layer, approval.Line(p.Files[layer]), style.Dim(absent(p.Files[layer])))
		}
	}
	b.WriteString("\n")
	keys := flatten("", p.Settings, map[string]any{})
	names := make([]string, 0, len(keys))
	for k := range keys {
		names = append(names, k)
	}
	sort.Strings(names)
	for _, k := range names {
		if strings.HasPrefix(k, "permissions.") {
			continue // shown below, each rule with its own place
		}
		value, err := json.Marshal(keys[k])
		if err != nil {
			return err
		}
		from := "default"
		if at, ok := p.Sources[k]; ok {
			from = place(at)
		}
		fmt.Fprintf(&b, "%-34s %s %s\n", k, approval.Line(string(value)), style.Dim("("+from+")"))
	}
	for _, action := range []string{"deny", "ask", "allow", "allowConfined"} {
		fmt.Fprintf(&b, "\n%s\n", style.Bold("permissions."+action))
		n := 0
		for _, r := range p.Rules {
			if r.Action == action {
				n++
				fmt.Fprintf(&b, "  %-40s %s\n", approval.Line(r.Rule), style.Dim("("+place(wire.Source{Layer: r.Layer, File: r.File, Line: r.Line})+")"))
			}
		}
		if n == 0 {
			b.WriteString(style.Dim("  no rule") + "\n")
		}
	}
	for _, t := range p.Problems {
		b.WriteString("\n" + style.Red("problem: ") + t + "\n")
	}
	for _, t := range p.Notices {
		b.WriteString("\n" + style.Yellow("notice: ") + t + "\n")
	}
	_, err := fmt.Fprint(c.out, b.String())
	return err
}

func place(at wire.Source) string {
	if at.File != "" && at.Line > 0 {
		return fmt.Sprintf("%s:%d", at.File, at.Line)
	}
	return at.Layer
}

// flatten names nested keys with dots.
func flatten(prefix string, in, out map[string]any) map[string]any {
	for k, v := range in {
		if m, ok := v.(map[string]any); ok && len(m) > 0 {
			flatten(prefix+k+".", m, out)
			continue
		}
		out[prefix+k] = v
	}
	return out
}

// absent says of a settings file that it is not there, so that nobody takes the
// place where it would be for a file.
func absent(path string) string {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return " (no file)"
	}
	return ""
}
