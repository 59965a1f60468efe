package config

import (
	"errors"
	"fmt"
	"path/filepath"

	"mayi/internal/filelock"
	"mayi/pkg/permissions"
	"mayi/pkg/workspace"
)

// AddRule adds a rule to one of a settings file's rule lists and leaves
// everything else in the file as it is: comments, order, layout. The file is
// made where it does not exist. A rule that is in the list already changes
// nothing. A file that does not parse is not touched.
func AddRule(file string, action permissions.Action, rule string) error {
	if _, err := permissions.ParseRule(action, rule, permissions.Source{}); err != nil {
		return fmt.Errorf("the rule %q cannot be read: %w", rule, err)
	}
	name, ok := map[permissions.Action]string{
		permissions.ActionDeny: "deny", permissions.ActionAsk: "ask", permissions.ActionAllow: "allow",
	}[action]
	if !ok {
		return fmt.Errorf("there is no list for the action %d", action)
	}
	return Append(file, []string{"permissions", name}, rule)
}

// AddRuleTo adds a rule to the "user" or "project" layer of o. A project file
// that was trusted stays so with the new rule in it, and one that this makes
// is; one that the person has not trusted is left alone, since the rule would
// count for nothing.
func AddRuleTo(o Options, layer string, action permissions.Action, rule string) error {
	o = o.complete()
	switch layer {
	case "user":
		if o.UserFile == "" {
			return errors.New("there is no user settings file: set HOME or XDG_CONFIG_HOME")
		}
		return AddRule(o.UserFile, action, rule)
	case "project":
	default:
		return fmt.Errorf("rules are added to the user or the project settings, not to %q", layer)
	}
	p, err := ReadProject(o)
	if err != nil {
		return err
	}
	if o.ProjectFile == "" {
		return errors.New("there is no workspace to keep project settings in")
	}
	if p != nil && !p.Trusted {
		return fmt.Errorf("%s is not trusted, so that the rule would count for nothing; look at it and run mayi trust", p.Path)
	}
	if err := AddRule(o.ProjectFile, action, rule); err != nil {
		return err
	}
	now, err := ReadProject(o)
	if err != nil || now == nil {
		return errors.Join(errors.New("the project settings cannot be read again"), err)
	}
	return Trust(o, now.Hash)
}

// Append adds a text to the list at path (the names from the outermost object
// inwards), which is made where it does not exist.
func Append(file string, path []string, text string) error {
	return change(file, func(e *editor) error { return e.append(path, text) })
}

// Set sets the key at path to a value that encoding/json can write.
func Set(file string, path []string, value any) error {
	return change(file, func(e *editor) error { return e.set(path, value) })
}

// change reads a file, edits its text, checks the result and puts it in place
// as a whole. Other processes that edit wait meanwhile.
func change(file string, edit func(*editor) error) error {
	fail := func(err error) error { return fmt.Errorf("%s is left as it was: %w", file, err) }
	real, err := workspace.Canonical(file)
	if err != nil {
		return fail(err)
	}
	if err := workspace.MkdirAll(filepath.Dir(real), 0o700); err != nil {
		return fail(err)
	}
	unlock, err := filelock.Folder(filepath.Dir(real))
	if err != nil {
		return fail(err)
	}
	defer unlock()
	old, _, err := readSettings(real)
	if err != nil {
		return fail(err)
	}
	if old == nil {
		old = []byte("{}\n")
	}
	e, err := newEditor(file, old)
	if err != nil {
		return fail(err)
	}
	if err := edit(e); err != nil {
		return fail(err)
	}
	if string(e.doc.Bytes()) == string(old) {
		return nil
	}
	if before, after := faults(file, old), faults(file, e.doc.Bytes()); len(after) > len(before) {
		return fail(after[len(after)-1])
	}
	if err := workspace.WriteFile(real, e.doc.Bytes(), 0o600); err != nil {
		return fail(err)
	}
	return nil
}

// faults lists what is wrong with a settings text.
func faults(file string, text []byte) Problems {
	s := defaults(Options{Home: "/"})
	s.text(newTable(), &layer{"user", file, true}, text)
	return s.Problems
}
