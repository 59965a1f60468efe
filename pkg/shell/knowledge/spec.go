package knowledge

import (
	"encoding/json"

	"mayi/internal/jsonscan"
)

// entry is one data file: what a program does with its arguments. The format
// is documented in README.md and held by schema/program.schema.json.
type entry struct {
	spec

	// groups are sets of options that several sub-commands share: an object of
	// specs.
	groups json.RawMessage
}

// spec is the table of a program or of a sub-command.
type spec struct {
	// Same names a sibling sub-command whose table this one shares.
	Same string
	// With names the groups whose options are added.
	With string

	Style     string
	Stop      bool
	Digits    bool
	Plus      bool
	Abbrev    *bool
	Inherit   bool
	Negate    bool
	Responses bool
	Unknown   string

	Flags    string
	Text     string
	Optional string
	Harmless string
	// Options is an object of roles and rawOptions, read where it is needed.
	Options json.RawMessage

	Operands string
	Keys     map[string]string
	None     []string
	Always   []string
	When     []rawWhen

	Prints []rawPrints

	Transparent bool

	// Commands and Other are read when a command line needs them.
	Commands json.RawMessage
	Other    json.RawMessage

	Reader string
}

// rawOption is an option that is more than the role of its value.
type rawOption struct {
	Value    string
	Optional bool
	Last     bool
	Does     []string
}

// rawPrints is one kind of output, and when it is printed.
type rawPrints struct {
	What, Any, With, NUL string
	Max                  *int
	Links, Quoted, Index bool
}

// rawWhen changes the table when certain options are given.
type rawWhen struct {
	Any, Not           string
	Operand, Recursive bool
	Operands           *string
	None, Does         []string
}

// decodeEntry reads one entry of a user's settings, which is JSON. Unknown keys
// are errors: a misspelled key must not turn into less knowledge.
func decodeEntry(data []byte) (*entry, error) {
	e := &entry{}
	return e, jsonscan.Object(data, e.read)
}

// decodeFile reads a data file. In those "commands" is the last key: there are
// many of them in some, and one is looked for without stepping over the rest.
func decodeFile(data []byte) (*entry, error) {
	e := &entry{}
	return e, jsonscan.Object(data, func(s *jsonscan.Scanner, key []byte) bool {
		if string(key) != "commands" {
			return e.read(s, key)
		}
		e.Commands = s.Rest()
		return true
	})
}

func (e *entry) read(s *jsonscan.Scanner, key []byte) bool {
	switch string(key) {
	case "$schema", "name":
		s.Str()
	case "groups":
		e.groups = s.Skip()
	default:
		return e.spec.read(s, key)
	}
	return true
}

// decodeSpec reads the table of a sub-command, or a group of options.
func decodeSpec(data []byte) (*spec, error) {
	t := &spec{}
	return t, jsonscan.Object(data, t.read)
}

// read reads the value of one key; false where there is no such key.
func (t *spec) read(s *jsonscan.Scanner, key []byte) bool {
	switch string(key) {
	case "about":
		s.Str()
	case "same":
		t.Same = s.Str()
	case "with":
		t.With = s.Str()
	case "style":
		t.Style = s.Str()
	case "stop":
		t.Stop = s.Truth()
	case "digits":
		t.Digits = s.Truth()
	case "plus":
		t.Plus = s.Truth()
	case "abbreviations":
		if !s.Null() {
			b := s.Truth()
			t.Abbrev = &b
		}
	case "inherit":
		t.Inherit = s.Truth()
	case "negate":
		t.Negate = s.Truth()
	case "responses":
		t.Responses = s.Truth()
	case "unknown":
		t.Unknown = s.Str()
	case "flags":
		t.Flags = s.Str()
	case "text":
		t.Text = s.Str()
	case "optional":
		t.Optional = s.Str()
	case "harmless":
		t.Harmless = s.Str()
	case "options":
		t.Options = s.Skip()
	case "operands":
		t.Operands = s.Str()
	case "keys":
		t.Keys = map[string]string{}
		s.Members(func(key []byte) { t.Keys[string(key)] = s.Str() })
	case "none":
		t.None = s.Strs()
	case "always":
		t.Always = s.Strs()
	case "when":
		s.Elements(func() {
			var w rawWhen
			s.Object(w.read)
			t.When = append(t.When, w)
		})
	case "prints":
		s.Elements(func() {
			var p rawPrints
			s.Object(p.read)
			t.Prints = append(t.Prints, p)
		})
	case "transparent":
		t.Transparent = s.Truth()
	case "commands":
		t.Commands = s.Skip()
	case "other":
		t.Other = s.Skip()
	case "reader":
		t.Reader = s.Str()
	default:
		return false
	}
	return true
}

func (o *rawOption) read(s *jsonscan.Scanner, key []byte) bool {
	switch string(key) {
	case "value":
		o.Value = s.Str()
	case "optional":
		o.Optional = s.Truth()
	case "last":
		o.Last = s.Truth()
	case "does":
		o.Does = s.Strs()
	default:
		return false
	}
	return true
}

func (p *rawPrints) read(s *jsonscan.Scanner, key []byte) bool {
	switch string(key) {
	case "what":
		p.What = s.Str()
	case "any":
		p.Any = s.Str()
	case "with":
		p.With = s.Str()
	case "nul":
		p.NUL = s.Str()
	case "max":
		if !s.Null() {
			n := s.Number()
			p.Max = &n
		}
	case "links":
		p.Links = s.Truth()
	case "quoted":
		p.Quoted = s.Truth()
	case "index":
		p.Index = s.Truth()
	default:
		return false
	}
	return true
}

func (w *rawWhen) read(s *jsonscan.Scanner, key []byte) bool {
	switch string(key) {
	case "any":
		w.Any = s.Str()
	case "not":
		w.Not = s.Str()
	case "operand":
		w.Operand = s.Truth()
	case "operands":
		if !s.Null() {
			text := s.Str()
			w.Operands = &text
		}
	case "none":
		w.None = s.Strs()
	case "does":
		w.Does = s.Strs()
	case "recursive":
		w.Recursive = s.Truth()
	default:
		return false
	}
	return true
}
