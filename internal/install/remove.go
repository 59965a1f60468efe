package install

import (
	"bytes"
	"errors"
	"fmt"
)

// PlanRemoval works out what uninstalling changes: files that nobody has
// touched since get the exact bytes of before, from others mayi's entries alone
// are taken.
func (i *Installer) PlanRemoval(name string, s Scope) (*Plan, error) {
	a, err := find(name)
	if err != nil {
		return nil, err
	}
	targets, err := a.scope(i.places, s)
	if err != nil {
		return nil, err
	}
	old := i.places.readRecord(name, s)
	p := &Plan{Agent: name, Title: a.title, Scope: s, agent: a, remove: true}
	if old != nil {
		p.rec = *old
	}
	for _, t := range targets {
		c, err := planRemoval(t, old)
		if err != nil {
			return nil, fmt.Errorf("%w; nothing was changed", err)
		}
		if c != nil {
			p.Changes = append(p.Changes, *c)
		}
	}
	return p, nil
}

func planRemoval(t target, old *record) (*Change, error) {
	text, real, err := readFile(t.file)
	if err != nil || text == nil {
		return nil, err
	}
	c := &Change{File: t.file, real: real, before: text}
	was := old.file(real)
	if was == nil {
		was = &fileRecord{Existed: true}
		// A whole file of mayi's has no other's text in it.
		if _, alone := t.edit.(whole); alone {
			was.Existed = false
		}
	}
	c.made = was.Made
	if was.After == hashOf(text) {
		if was.Existed {
			c.after, _, err = readFile(was.Backup)
			if err == nil && c.after != nil {
				return c.shown(), nil
			}
		} else {
			return c.shown(), nil
		}
	}
	after, empty, err := t.edit.take(t.file, text, was.Undo)
	if err != nil {
		return nil, err
	}
	if !empty || was.Existed {
		if bytes.Equal(after, text) {
			return nil, nil
		}
		c.after = after
		if c.after == nil {
			c.after = []byte{}
		}
	}
	return c.shown(), nil
}

func (c *Change) shown() *Change {
	c.Removed = c.after == nil
	c.Diff = Unified(c.File, c.before, c.after)
	return c
}

func (i *Installer) applyRemoval(p *Plan) error {
	for n := range p.Changes {
		c := &p.Changes[n]
		var err error
		if c.Removed {
			err = removeFile(c.real, c.made)
		} else {
			_, err = writeFile(c.real, c.after)
		}
		if err != nil {
			return errors.Join(fmt.Errorf("%s cannot be written: %w", c.File, err), p.revert(n))
		}
	}
	if p.rec.Agent == "" {
		return nil
	}
	return i.places.forget(&p.rec)
}
