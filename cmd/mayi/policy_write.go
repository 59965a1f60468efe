package main

import (
	"bytes"
	"fmt"
	"strings"

	"mayi/internal/importer"
	"mayi/internal/install"
	"mayi/pkg/approval"
	"mayi/pkg/config"
)

// writeImport adds the policy to the settings of a layer, after showing the change
// and asking.
func (c *command) writeImport(o config.Options, p *importer.Policy, f importFlags) error {
	n := len(p.Items()) + len(p.Scalars())
	if n == 0 {
		return c.done(map[string]any{"added": 0, "layer": f.write}, "there is nothing to add")
	}
	file, before, err := config.ReadLayer(o, f.write)
	if err != nil {
		return failure("", err)
	}
	after, err := config.Edited(file, before, edits(p)...)
	if err != nil {
		return failure("", err)
	}
	if before != nil && bytes.Equal(before, after) {
		return c.done(map[string]any{"added": 0, "layer": f.write}, "all of this is in the "+f.write+" settings already")
	}
	if !f.yes {
		c.showDiff(install.Unified(file, before, after))
		yes, err := c.confirm("\nWrite this? Type yes and Enter: ")
		if err != nil {
			return failure("nothing was written; where nobody can be asked, give --yes", err)
		}
		if !yes {
			fmt.Fprintln(c.out, "nothing was written")
			return exit{code: exitDeny}
		}
	}
	if err := config.ReplaceLayer(o, f.write, before, after); err != nil {
		return failure("", err)
	}
	return c.done(map[string]any{"added": n, "layer": f.write}, fmt.Sprintf("%s in the %s settings now; mayi policy show lists them", entries(n), f.write))
}

// edits put a policy into a settings file.
func edits(p *importer.Policy) []config.Edit {
	var out []config.Edit
	for _, s := range p.Scalars() {
		out = append(out, config.Edit{Path: s.Path, Value: s.Value})
	}
	for _, s := range p.Items() {
		out = append(out, config.Edit{Path: s.Path, Value: s.Value, Append: true})
	}
	return out
}

// showDiff prints a unified diff for a person.
func (c *command) showDiff(diff string) {
	style := c.style(c.out)
	for _, line := range strings.Split(strings.TrimRight(diff, "\n"), "\n") {
		shown := approval.Visible(line)
		switch {
		case strings.HasPrefix(line, "+"):
			shown = style.Green(shown)
		case strings.HasPrefix(line, "-"):
			shown = style.Red(shown)
		}
		fmt.Fprintln(c.out, shown)
	}
}

func entries(n int) string {
	if n == 1 {
		return "1 entry is"
	}
	return fmt.Sprintf("%d entries are", n)
}
