package install

import (
	"bytes"
	"errors"
	"fmt"

	"mayi/internal/filelock"
	"mayi/pkg/workspace"
)

// ErrChanged says that a file is not any more what it was when the plan was
// made.
var ErrChanged = errors.New("has changed since the change was shown")

// Apply writes a plan's changes, all or none of them, and remembers them. A
// file that has changed since the plan was made is an error.
func (i *Installer) Apply(p *Plan) error {
	unlock, err := i.lock()
	if err != nil {
		return err
	}
	defer unlock()
	for n := range p.Changes {
		if err := p.Changes[n].unchanged(); err != nil {
			return err
		}
	}
	if p.Empty() && !p.remove {
		return nil
	}
	if p.remove {
		return i.applyRemoval(p)
	}
	for n := range p.Changes {
		c := &p.Changes[n]
		if c.existed {
			if c.Backup, err = i.places.backup(p.Agent, c.real, c.original); err != nil {
				return err
			}
		}
		made, err := writeFile(c.real, c.after)
		if err != nil {
			return errors.Join(fmt.Errorf("%s cannot be written: %w", c.File, err), p.revert(n))
		}
		c.made = append(c.made, made...)
		p.rec.Files = append(p.rec.Files, fileRecord{
			Path: c.File, Real: c.real, Existed: c.existed, Backup: c.Backup, After: hashOf(c.after), Made: c.made, Undo: c.undo,
		})
	}
	if err := i.places.writeRecord(p.rec); err != nil {
		return errors.Join(err, p.revert(len(p.Changes)))
	}
	return nil
}

// Revert takes back what [Installer.Apply] wrote, for an install whose proof
// fails.
func (i *Installer) Revert(p *Plan) error {
	unlock, err := i.lock()
	if err != nil {
		return err
	}
	defer unlock()
	if p.Empty() {
		return nil
	}
	err = p.revert(len(p.Changes))
	if p.was != nil {
		return errors.Join(err, i.places.writeRecord(*p.was))
	}
	return errors.Join(err, i.places.forget(&p.rec))
}

// revert puts the first n files back as they were before the plan.
func (p *Plan) revert(n int) error {
	var errs []error
	for k := n - 1; k >= 0; k-- {
		c := p.Changes[k]
		now, _, err := readFile(c.real)
		switch {
		case err != nil:
		case !bytes.Equal(now, c.after):
			err = fmt.Errorf("%s has changed meanwhile and is left as it is", c.File)
		case c.before == nil:
			err = removeFile(c.real, c.made)
		default:
			_, err = writeFile(c.real, c.before)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func (c *Change) unchanged() error {
	now, real, err := readFile(c.File)
	if err != nil {
		return err
	}
	if real != c.real || (now == nil) != (c.before == nil) || !bytes.Equal(now, c.before) {
		return fmt.Errorf("%s %w; look at it again", c.File, ErrChanged)
	}
	return nil
}

func (i *Installer) lock() (func(), error) {
	dir, err := workspace.Canonical(i.places.stateDir())
	if err != nil {
		return nil, err
	}
	if err := workspace.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("what is installed cannot be remembered: %w", err)
	}
	unlock, err := filelock.Folder(dir)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be locked: %w", dir, err)
	}
	return unlock, nil
}
