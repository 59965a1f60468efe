package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mayi/internal/filelock"
	"mayi/internal/importer"
	"mayi/internal/install"
	"mayi/pkg/approval"
	"mayi/pkg/config"
	"mayi/pkg/workspace"
)

// writeImport adds the policy to the settings of a layer, after showing the change
// and asking.
func (c *command) writeImport(o config.Options, p *importer.Policy, f importFlags) error {
	n := len(p.Items()) + len(p.Scalars())
	if n == 0 {
		return c.done(map[string]any{"added": 0, "layer": f.write}, "there is nothing to add")
	}
	file, err := layerFile(o, f.write)
	if err != nil {
		return failure("", err)
	}
	before, err := readIfThere(file)
	if err != nil {
		return failure("", err)
	}
	after, err := withPolicy(file, before, p)
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
	if err := replace(file, before, after); err != nil {
		return failure("", err)
	}
	if f.write == "project" {
		now, err := config.ReadProject(o)
		if err != nil || now == nil {
			return failure("", errors.Join(errors.New("the project settings cannot be read again"), err))
		}
		if err := config.Trust(o, now.Hash); err != nil {
			return failure("the file is written, but it only tightens until you run mayi trust", err)
		}
	}
	return c.done(map[string]any{"added": n, "layer": f.write}, fmt.Sprintf("%s in the %s settings now; mayi policy show lists them", entries(n), f.write))
}

// layerFile is the settings file of a layer, which has to count for something.
func layerFile(o config.Options, layer string) (string, error) {
	if layer == "user" {
		if o.UserFile == "" {
			return "", errors.New("there is no user settings file: set HOME or XDG_CONFIG_HOME")
		}
		return o.UserFile, nil
	}
	p, err := config.ReadProject(o)
	switch {
	case err != nil:
		return "", err
	case o.ProjectFile == "":
		return "", errors.New("there is no workspace to keep project settings in")
	case p != nil && !p.Trusted:
		return "", fmt.Errorf("%s is not trusted, so that the rules would count for nothing; look at it and run mayi trust", p.Path)
	}
	return o.ProjectFile, nil
}

// withPolicy is the text of a settings file with the policy in it. It is made in a
// copy, by the same editing as everywhere, so that the file is written once.
func withPolicy(file string, before []byte, p *importer.Policy) ([]byte, error) {
	dir, err := os.MkdirTemp("", "mayi-import-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	work := filepath.Join(dir, "settings.json")
	if before == nil {
		before = []byte("{\n}\n")
	}
	if err := os.WriteFile(work, before, 0o600); err != nil {
		return nil, err
	}
	named := func(err error) error {
		return errors.New(strings.ReplaceAll(err.Error(), work, file))
	}
	for _, s := range p.Scalars() {
		if err := config.Set(work, s.Path, s.Value); err != nil {
			return nil, named(err)
		}
	}
	for _, s := range p.Items() {
		text, _ := s.Value.(string)
		if err := config.Append(work, s.Path, text); err != nil {
			return nil, named(err)
		}
	}
	return os.ReadFile(work)
}

// readIfThere reads a file by any name; nil where there is none.
func readIfThere(file string) ([]byte, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// replace puts a text in the place of a file that has not changed since it was
// read.
func replace(file string, before, after []byte) error {
	real, err := workspace.Canonical(file)
	if err != nil {
		return err
	}
	if err := workspace.MkdirAll(filepath.Dir(real), 0o700); err != nil {
		return err
	}
	unlock, err := filelock.Folder(filepath.Dir(real))
	if err != nil {
		return err
	}
	defer unlock()
	now, err := readIfThere(real)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, before) || (now == nil) != (before == nil) {
		return fmt.Errorf("%s has changed since it was shown; nothing was written", file)
	}
	return workspace.WriteFile(real, after, 0o600)
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
