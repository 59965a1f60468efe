package config

import (
	"bytes"
	"fmt"
	"path/filepath"

	"mayi/internal/filelock"
	"mayi/pkg/permissions"
	"mayi/pkg/workspace"
)

// Edit is one change of a settings file: the value of the key at Path (the names
// from the outermost object inwards), or, with Append, one more text in the list
// there, which is made where it does not exist.
type Edit struct {
	Path   []string
	Value  any
	Append bool
}

// Edited is the text of a settings file with edits in it. Everything else stays as
// it is: comments, order, layout. A nil text is that of a file that does not exist,
// an entry that is in its list already changes nothing. The error names the file:
// it is about a text that does not parse, or would not say with them what it should.
func Edited(file string, text []byte, edits ...Edit) ([]byte, error) {
	if text == nil {
		text = []byte("{}\n")
	}
	e, err := newEditor(file, text)
	if err != nil {
		return nil, err
	}
	for _, one := range edits {
		if item, ok := one.Value.(string); one.Append && ok {
			err = e.append(one.Path, item)
		} else if one.Append {
			err = fmt.Errorf("%v is no text", one.Value)
		} else {
			err = e.set(one.Path, one.Value)
		}
		if err != nil {
			return nil, err
		}
	}
	now := e.doc.Bytes()
	if before, after := faults(file, text), faults(file, now); len(after) > len(before) {
		return nil, after[len(after)-1]
	}
	return now, nil
}

// AddRule adds a rule to one of a settings file's rule lists, as [Edited] does. The
// file is made where it does not exist. A file that does not parse is not touched.
func AddRule(file string, action permissions.Action, rule string) error {
	e, err := ruleEdit(action, rule)
	if err != nil {
		return err
	}
	return change(file, e)
}

func ruleEdit(action permissions.Action, rule string) (Edit, error) {
	if _, err := permissions.ParseRule(action, rule, permissions.Source{}); err != nil {
		return Edit{}, fmt.Errorf("the rule %q cannot be read: %w", rule, err)
	}
	name, ok := map[permissions.Action]string{
		permissions.ActionDeny: "deny", permissions.ActionAsk: "ask", permissions.ActionAllow: "allow",
	}[action]
	if !ok {
		return Edit{}, fmt.Errorf("there is no list for the action %d", action)
	}
	return Edit{Path: []string{"permissions", name}, Value: rule, Append: true}, nil
}

// Set sets the key at path to a value that encoding/json can write.
func Set(file string, path []string, value any) error {
	return change(file, Edit{Path: path, Value: value})
}

func change(file string, edits ...Edit) error {
	return rewrite(file, func(_ string, old []byte) ([]byte, error) { return Edited(file, old, edits...) })
}

// rewrite puts what edit makes of a settings file in its place, as a whole. edit is
// given the file's canonical path and its text, nil where there is none. Other
// processes that edit wait meanwhile.
func rewrite(file string, edit func(real string, old []byte) ([]byte, error)) error {
	fail := func(err error) error { return fmt.Errorf("%s is left as it was: %w", file, err) }
	unwritable := func(err error) error { return fmt.Errorf("%s cannot be written: %w", file, err) }
	real, err := workspace.Canonical(file)
	if err != nil {
		return unwritable(err)
	}
	if err := workspace.MkdirAll(filepath.Dir(real), 0o700); err != nil {
		return unwritable(err)
	}
	unlock, err := filelock.Folder(filepath.Dir(real))
	if err != nil {
		return unwritable(err)
	}
	defer unlock()
	old, _, err := readSettings(real)
	if err != nil {
		return fail(err)
	}
	now, err := edit(real, old)
	if err != nil {
		return fail(err)
	}
	if old != nil && bytes.Equal(now, old) {
		return nil
	}
	if err := workspace.WriteFile(real, now, 0o600); err != nil {
		return unwritable(err)
	}
	return nil
}

// faults lists what is wrong with a settings text.
func faults(file string, text []byte) Problems {
	s := defaults(Options{Home: "/"})
	s.text(newTable(), &layer{"user", file, true}, text)
	return s.Problems
}
