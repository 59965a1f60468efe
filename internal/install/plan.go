package install

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"mayi/pkg/workspace"
)

// Plan is what an install or an uninstall would change. Nothing is written
// before [Installer.Apply].
type Plan struct {
	Agent, Title string
	Scope        Scope
	Changes      []Change
	// Notes are what the person should know beforehand.
	Notes []string

	agent  agent
	remove bool
	rec    record
	// was is the record of an install before.
	was *record
}

// Change is what happens to one file.
type Change struct {
	// File is the file's name, Diff the change as a unified diff.
	File string `json:"file"`
	Diff string `json:"diff"`
	// Created: the file does not exist yet. Removed: it goes.
	Created bool `json:"created,omitempty"`
	Removed bool `json:"removed,omitempty"`
	// Backup is where the text of before is kept, once it is written.
	Backup string `json:"backup,omitempty"`

	real          string
	before, after []byte
	undo          undo
	// existed and original are for the record: the file before mayi.
	existed  bool
	original []byte
	made     []string
}

// Empty reports whether everything is as it should be already.
func (p *Plan) Empty() bool { return len(p.Changes) == 0 }

// Installer installs hooks for the agents of one machine. It is safe for
// concurrent use, by other processes as well.
type Installer struct{ places Places }

// New returns an installer for these places.
func New(p Places) *Installer { return &Installer{p} }

// Find says where an agent was found.
func (i *Installer) Find(name string) (Found, error) {
	a, err := find(name)
	if err != nil {
		return Found{}, err
	}
	return a.find(i.places), nil
}

// Plan works out what installing for an agent changes. The error says which
// file cannot be used, and where in it.
func (i *Installer) Plan(name string, s Scope) (*Plan, error) {
	a, err := find(name)
	if err != nil {
		return nil, err
	}
	targets, err := a.scope(i.places, s)
	if err != nil {
		return nil, err
	}
	if err := i.places.callable(a); err != nil {
		return nil, err
	}
	old := i.places.readRecord(name, s)
	p := &Plan{Agent: name, Title: a.title, Scope: s, agent: a, was: old}
	p.rec = record{Agent: name, Scope: s, Program: i.places.Program, Command: i.places.command(name, a.guarded)}
	if s == Project {
		p.rec.Root = i.places.Workspace
	}
	for _, t := range targets {
		if err := i.stays(s, t.file); err != nil {
			return nil, err
		}
		c, err := plan(t, old)
		var no *unable
		if errors.As(err, &no) {
			p.Notes = append(p.Notes, no.text)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%w; nothing was changed", err)
		}
		if c == nil {
			if f := old.file(realOf(t.file)); f != nil {
				p.rec.Files = append(p.rec.Files, *f)
			}
			continue
		}
		p.Changes = append(p.Changes, *c)
	}
	return p, nil
}

// stays refuses a file of the project that a link leads out of it: links come
// with a repository, and so whoever wrote it would choose what is written to. What
// lies outside by its own name, as an agent's trust in the project, is the
// person's.
func (i *Installer) stays(s Scope, file string) error {
	root := i.places.Workspace
	if s != Project || !strings.HasPrefix(file, strings.TrimSuffix(root, "/")+"/") {
		return nil
	}
	real, err := workspace.Canonical(file)
	if err != nil {
		return fmt.Errorf("%s cannot be followed: %w", file, err)
	}
	if !workspace.Within(real, root) {
		return fmt.Errorf("%s leads out of the project, to %s; nothing was changed", file, real)
	}
	return nil
}

func realOf(file string) string {
	_, real, err := readFile(file)
	if err != nil {
		return file
	}
	return real
}

// plan is the change of one file, nil where there is none to make.
func plan(t target, old *record) (*Change, error) {
	text, real, err := readFile(t.file)
	if err != nil {
		return nil, err
	}
	if text == nil && t.must {
		return nil, fmt.Errorf("%s does not exist: set the agent up first", t.file)
	}
	c := &Change{File: t.file, Created: text == nil, real: real, before: text, existed: text != nil}
	was := old.file(real)
	if was != nil {
		c.undo, c.made = was.Undo, was.Made
	}
	if c.after, err = t.edit.put(t.file, text, &c.undo); err != nil {
		return nil, err
	}
	if bytes.Equal(c.after, text) {
		return nil, nil
	}
	c.original = text
	if was == nil {
		mine, err := t.edit.commands(t.file, text)
		if err != nil {
			return nil, err
		}
		if len(mine) > 0 {
			// Put there by a mayi whose state is lost.
			if c.original, _, err = t.edit.take(t.file, text, undo{}); err != nil {
				return nil, err
			}
		}
	} else {
		c.existed = was.Existed
		if was.After == hashOf(text) {
			// Nobody has been here since: before is what was before then.
			c.original, _, err = readFile(was.Backup)
		} else {
			c.original, _, err = t.edit.take(t.file, text, was.Undo)
		}
		if err != nil {
			return nil, err
		}
	}
	c.Diff = Unified(t.file, c.before, c.after)
	return c, nil
}

// Unified is the change of a file as a unified diff; nil is a file that is not there.
func Unified(file string, before, after []byte) string {
	from, to := file, file
	if before == nil {
		from = "/dev/null"
	}
	if after == nil {
		to = "/dev/null"
	}
	out := string(diff.Diff(from, before, to, after))
	if _, body, ok := bytes.Cut([]byte(out), []byte("\n")); ok {
		out = string(body) // without the line that repeats the names
	}
	return out
}
