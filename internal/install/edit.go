package install

import (
	"bytes"
	"encoding/json"
)

// edit is what is wanted in one file. None of its methods writes anything.
type edit interface {
	// put returns the text with mayi's part in it, the same text where it is
	// there already. It adds to u what taking it out again has to know.
	put(file string, text []byte, u *undo) ([]byte, error)
	// take returns the text without mayi's part; empty says that nothing is
	// left in it.
	take(file string, text []byte, u undo) (out []byte, empty bool, err error)
	// commands are the command lines of mayi's that are in the text.
	commands(file string, text []byte) ([]string, error)
}

// undo is what put remembers for take.
type undo struct {
	// Made are the objects and lists that did not exist.
	Made [][]string `json:"made,omitempty"`
	// Set are the values that were set and those that they replaced.
	Set []wasSet `json:"set,omitempty"`
	// Keys are the TOML tables that were added.
	Keys []string `json:"keys,omitempty"`
}

type wasSet struct {
	Path []string        `json:"path"`
	Old  json.RawMessage `json:"old,omitempty"`
	New  json.RawMessage `json:"new"`
}

// whole is a file that is mayi's alone.
type whole struct {
	text []byte
	// program finds the command in a text that may be of an older mayi, ""
	// where the text is not mayi's.
	program func(text []byte) string
}

func (w whole) put(file string, text []byte, _ *undo) ([]byte, error) {
	if len(bytes.TrimSpace(text)) > 0 && w.program(text) == "" {
		return nil, &notOurs{file}
	}
	return w.text, nil
}

func (w whole) take(_ string, text []byte, _ undo) ([]byte, bool, error) {
	if w.program(text) == "" {
		return text, false, nil
	}
	return nil, true, nil
}

func (w whole) commands(_ string, text []byte) ([]string, error) {
	if c := w.program(text); c != "" {
		return []string{c}, nil
	}
	return nil, nil
}

type notOurs struct{ file string }

func (e *notOurs) Error() string {
	return e.file + " is there already and is not mayi's; move it away"
}
