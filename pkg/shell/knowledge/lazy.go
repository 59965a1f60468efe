package knowledge

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

// lazy is the table of a sub-command, compiled when it is first needed: a
// process that looks at one git command does not pay for all of them.
type lazy struct {
	raw    json.RawMessage
	from   *compiler
	parent *table
	names  string

	once  sync.Once
	table *table
	err   error
}

// get compiles the table once.
func (l *lazy) get() (*table, error) {
	l.once.Do(func() {
		s := &spec{}
		if l.err = strict(l.raw, s); l.err != nil {
			l.err = fmt.Errorf("%s: %w", l.names, l.err)
			return
		}
		if s.Same != "" {
			l.err = l.share(s.Same)
			return
		}
		if l.table, l.err = l.from.table(s, l.parent); l.err != nil {
			l.err = fmt.Errorf("%s: %w", l.names, l.err)
		}
	})
	return l.table, l.err
}

// share takes the table of the sibling that is named.
func (l *lazy) share(name string) error {
	other := l.parent.commands[name]
	if other != nil && other != l {
		s := &spec{}
		if err := strict(other.raw, s); err == nil && s.Same == "" {
			var err error
			l.table, err = other.get()
			return err
		}
	}
	return fmt.Errorf("%s: same as %q, which has no table of its own", l.names, name)
}

// addCommands notes the sub-commands of a table.
func (c *compiler) addCommands(t *table, s *spec) error {
	if len(s.Commands) > 0 || s.Other != nil {
		t.commands = make(map[string]*lazy, len(s.Commands))
	}
	for names, raw := range s.Commands {
		l := &lazy{raw: raw, from: c, parent: t, names: names}
		for _, name := range strings.Fields(names) {
			if t.commands[name] != nil {
				return fmt.Errorf("sub-command %s stands twice", name)
			}
			t.commands[name] = l
		}
	}
	if s.Other != nil {
		t.other = &lazy{raw: s.Other, from: c, parent: t, names: "other"}
	}
	return nil
}

// force compiles everything, so that a mistake is found before it is needed.
func (t *table) force() error {
	if t.other != nil {
		if err := t.other.force(); err != nil {
			return err
		}
	}
	for _, l := range t.commands {
		if err := l.force(); err != nil {
			return err
		}
	}
	return nil
}

func (l *lazy) force() error {
	t, err := l.get()
	if err != nil {
		return err
	}
	return t.force()
}
