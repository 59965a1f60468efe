package config

import (
	"encoding/json"

	"mayi/internal/jsonedit"
)

// editor changes the text of a settings file; what it does not touch stays byte
// for byte.
type editor struct{ doc *jsonedit.Doc }

func newEditor(file string, text []byte) (*editor, error) {
	// Read as settings first: what is wrong then comes with its hint.
	if _, problem := parse("user", file, text); problem != nil {
		return nil, *problem
	}
	doc, err := jsonedit.Parse(file, text)
	if err != nil {
		return nil, err
	}
	return &editor{doc}, nil
}

func (e *editor) set(path []string, value any) error { return e.doc.Set(path, value) }

// append adds a text to a list that does not have it yet.
func (e *editor) append(path []string, item string) error {
	list, err := e.doc.Elements(path...)
	if err != nil {
		return err
	}
	for _, el := range list {
		var s string
		if json.Unmarshal(el, &s) == nil && s == item {
			return nil
		}
	}
	return e.doc.Append(path, item)
}
