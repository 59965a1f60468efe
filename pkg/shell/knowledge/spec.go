package knowledge

import (
	"encoding/json"
	"fmt"
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

	Style   string
	Stop    bool
	Digits  bool
	Plus    bool
	Abbrev  *bool
	Inherit bool
	Negate  bool
	Unknown string

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

// decodeEntry reads one data file or one entry of a user's settings, which is
// JSON. Unknown keys are errors: a misspelled key must not turn into less
// knowledge.
func decodeEntry(data []byte) (*entry, error) {
	e := &entry{}
	return e, object(data, func(s *scan, key []byte) bool {
		switch string(key) {
		case "$schema", "name":
			s.str()
		case "groups":
			e.groups = s.skip()
		default:
			return e.spec.read(s, key)
		}
		return true
	})
}

// decodeSpec reads the table of a sub-command, or a group of options.
func decodeSpec(data []byte) (*spec, error) {
	t := &spec{}
	return t, object(data, t.read)
}

// object reads an object whose members read knows.
func object(data []byte, read func(s *scan, key []byte) bool) error {
	s := &scan{text: data}
	s.object(read)
	return s.err
}

// object reads the object that follows; a key that read does not know is an
// error.
func (s *scan) object(read func(s *scan, key []byte) bool) {
	s.members(func(key []byte) {
		if !read(s, key) {
			s.fail("unknown key %q", key)
		} else if s.err != nil {
			s.err = fmt.Errorf("%s: %w", key, s.err)
		}
	})
}

// read reads the value of one key; false where there is no such key.
func (t *spec) read(s *scan, key []byte) bool {
	switch string(key) {
	case "about":
		s.str()
	case "same":
		t.Same = s.str()
	case "with":
		t.With = s.str()
	case "style":
		t.Style = s.str()
	case "stop":
		t.Stop = s.truth()
	case "digits":
		t.Digits = s.truth()
	case "plus":
		t.Plus = s.truth()
	case "abbreviations":
		if !s.null() {
			b := s.truth()
			t.Abbrev = &b
		}
	case "inherit":
		t.Inherit = s.truth()
	case "negate":
		t.Negate = s.truth()
	case "unknown":
		t.Unknown = s.str()
	case "flags":
		t.Flags = s.str()
	case "text":
		t.Text = s.str()
	case "optional":
		t.Optional = s.str()
	case "harmless":
		t.Harmless = s.str()
	case "options":
		t.Options = s.skip()
	case "operands":
		t.Operands = s.str()
	case "keys":
		t.Keys = map[string]string{}
		s.members(func(key []byte) { t.Keys[string(key)] = s.str() })
	case "none":
		t.None = s.strs()
	case "always":
		t.Always = s.strs()
	case "when":
		s.elements(func() {
			var w rawWhen
			s.object(w.read)
			t.When = append(t.When, w)
		})
	case "prints":
		s.elements(func() {
			var p rawPrints
			s.object(p.read)
			t.Prints = append(t.Prints, p)
		})
	case "transparent":
		t.Transparent = s.truth()
	case "commands":
		t.Commands = s.skip()
	case "other":
		t.Other = s.skip()
	case "reader":
		t.Reader = s.str()
	default:
		return false
	}
	return true
}

func (o *rawOption) read(s *scan, key []byte) bool {
	switch string(key) {
	case "value":
		o.Value = s.str()
	case "optional":
		o.Optional = s.truth()
	case "last":
		o.Last = s.truth()
	case "does":
		o.Does = s.strs()
	default:
		return false
	}
	return true
}

func (p *rawPrints) read(s *scan, key []byte) bool {
	switch string(key) {
	case "what":
		p.What = s.str()
	case "any":
		p.Any = s.str()
	case "with":
		p.With = s.str()
	case "nul":
		p.NUL = s.str()
	case "max":
		if !s.null() {
			n := s.number()
			p.Max = &n
		}
	case "links":
		p.Links = s.truth()
	case "quoted":
		p.Quoted = s.truth()
	case "index":
		p.Index = s.truth()
	default:
		return false
	}
	return true
}

func (w *rawWhen) read(s *scan, key []byte) bool {
	switch string(key) {
	case "any":
		w.Any = s.str()
	case "not":
		w.Not = s.str()
	case "operand":
		w.Operand = s.truth()
	case "operands":
		if !s.null() {
			text := s.str()
			w.Operands = &text
		}
	case "none":
		w.None = s.strs()
	case "does":
		w.Does = s.strs()
	case "recursive":
		w.Recursive = s.truth()
	default:
		return false
	}
	return true
}
