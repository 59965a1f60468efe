package knowledge

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"mayi/internal/jsonscan"
)

// commands are the sub-commands of a table. Each is looked for when it is
// first asked for.
type commands struct {
	raw  json.RawMessage // an object of specs, by their names
	from *compiler
	// found holds *lazy by name, of those that there are.
	found sync.Map
}

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
		s, err := decodeSpec(l.raw)
		if err != nil {
			l.err = fmt.Errorf("%s: %w", l.names, err)
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
	if other := l.parent.command(name); other != nil && other != l {
		if s, err := decodeSpec(other.raw); err == nil && s.Same == "" {
			l.table, err = other.get()
			return err
		}
	}
	return fmt.Errorf("%s: same as %q, which has no table of its own", l.names, name)
}

// command finds a sub-command, nil where there is none of that name.
func (t *table) command(name string) *lazy {
	if t.commands == nil || name == "" {
		return nil
	}
	if l, ok := t.commands.found.Load(name); ok {
		return l.(*lazy)
	}
	names, raw := jsonscan.Find(t.commands.raw, name)
	if raw == nil {
		return nil // names that are not known are not remembered
	}
	l, _ := t.commands.found.LoadOrStore(name, &lazy{raw: raw, from: t.commands.from, parent: t, names: names})
	return l.(*lazy)
}

// addCommands notes the sub-commands of a table.
func (c *compiler) addCommands(t *table, s *spec) {
	if !jsonscan.Empty(s.Commands) || s.Other != nil {
		t.commands = &commands{raw: s.Commands, from: c}
	}
	if s.Other != nil {
		t.other = &lazy{raw: s.Other, from: c, parent: t, names: "other"}
	}
}

// each calls f for every sub-command, "other" among them, until it fails.
func (t *table) each(f func(name string, sub *table) error) error {
	if t.other != nil {
		sub, err := t.other.get()
		if err == nil {
			err = f("other", sub)
		}
		if err != nil {
			return err
		}
	}
	if t.commands == nil || jsonscan.Empty(t.commands.raw) {
		return nil
	}
	var err error
	seen := map[string]bool{}
	s := jsonscan.New(t.commands.raw)
	s.Members(func(key []byte) {
		s.Skip()
		for _, name := range strings.Fields(string(key)) {
			if err != nil {
				return
			}
			if seen[name] {
				err = fmt.Errorf("sub-command %s stands twice", name)
				return
			}
			seen[name] = true
			var sub *table
			if sub, err = t.command(name).get(); err == nil {
				err = f(name, sub)
			}
		}
	})
	if err == nil {
		err = s.Err()
	}
	return err
}

// force compiles everything, so that a mistake is found before it is needed.
func (t *table) force() error {
	return t.each(func(_ string, sub *table) error { return sub.force() })
}
