package config

import (
	"bytes"
	"errors"
	"fmt"

	"mayi/pkg/permissions"
)

// ReadLayer returns the settings file of the "user" or "project" layer of o and its
// text, nil where there is none yet. A project file that the person has not trusted
// is an error: what is added to it would count for nothing.
func ReadLayer(o Options, layer string) (file string, text []byte, err error) {
	o = o.complete()
	if file, err = o.layerFile(layer); err != nil {
		return "", nil, err
	}
	text, real, err := readSettings(file)
	if err != nil {
		return "", nil, fmt.Errorf("%s cannot be read: %w", file, err)
	}
	if err := o.countsFor(layer, real, text); err != nil {
		return "", nil, fmt.Errorf("%s: %w", file, err)
	}
	return file, text, nil
}

// ReplaceLayer puts after in the place of before, which is what [ReadLayer]
// returned; where the file holds something else by now it stays. A project file is
// trusted with exactly that text afterwards.
func ReplaceLayer(o Options, layer string, before, after []byte) error {
	return editLayer(o, layer, func(_ string, old []byte) ([]byte, error) {
		if !bytes.Equal(old, before) || (old == nil) != (before == nil) {
			return nil, errors.New("it has changed since it was shown")
		}
		return after, nil
	})
}

// AddRuleTo adds a rule to the "user" or "project" layer of o. A project file
// that was trusted stays so with the new rule in it, and one that this makes
// is; one that the person has not trusted is left alone, since the rule would
// count for nothing.
func AddRuleTo(o Options, layer string, action permissions.Action, rule string) error {
	e, err := ruleEdit(action, rule)
	if err != nil {
		return err
	}
	return editLayer(o, layer, func(file string, old []byte) ([]byte, error) { return Edited(file, old, e) })
}

// editLayer rewrites a layer's file. The text that is looked at, edited and trusted
// is one: what somebody else writes in between is neither kept nor trusted.
func editLayer(o Options, layer string, edit func(file string, old []byte) ([]byte, error)) error {
	o = o.complete()
	file, err := o.layerFile(layer)
	if err != nil {
		return err
	}
	var at string
	var now []byte
	err = rewrite(file, func(real string, old []byte) ([]byte, error) {
		if _, _, err := readSettings(file); err != nil {
			return nil, err // a link that leads nowhere is not followed
		}
		if err := o.countsFor(layer, real, old); err != nil {
			return nil, err
		}
		at = real
		now, err = edit(file, old)
		return now, err
	})
	if err != nil || layer != "project" {
		return err
	}
	if err := remember(o.StateDir, at, now); err != nil {
		return fmt.Errorf("the file is written, but it only tightens until you run mayi trust: %w", err)
	}
	return nil
}

func (o Options) layerFile(layer string) (string, error) {
	switch {
	case layer == "user" && o.UserFile == "":
		return "", errors.New("there is no user settings file: set HOME or XDG_CONFIG_HOME")
	case layer == "user":
		return o.UserFile, nil
	case layer == "project" && o.ProjectFile == "":
		return "", errors.New("there is no workspace to keep project settings in")
	case layer == "project":
		return o.ProjectFile, nil
	}
	return "", fmt.Errorf("rules are added to the user or the project settings, not to %q", layer)
}

// countsFor reports a text in which what it says counts for nothing.
func (o Options) countsFor(layer, real string, text []byte) error {
	if layer == "project" && text != nil && !trusted(o.StateDir, real, text) {
		return errors.New("it is not trusted, so that what is added would count for nothing; look at it and run mayi trust")
	}
	return nil
}
