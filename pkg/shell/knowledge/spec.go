package knowledge

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// entry is one data file: what a program does with its arguments. The format
// is documented in README.md and held by schema/program.schema.json.
type entry struct {
	Schema string `json:"$schema,omitempty"`
	Name   string `json:"name,omitempty"`
	spec

	// Groups are sets of options that several sub-commands share.
	Groups map[string]json.RawMessage `json:"groups,omitempty"`
}

// spec is the table of a program or of a sub-command.
type spec struct {
	About string `json:"about,omitempty"`
	// Same names a sibling sub-command whose table this one shares.
	Same string `json:"same,omitempty"`
	// With names the groups whose options are added.
	With string `json:"with,omitempty"`

	Style   string `json:"style,omitempty"`
	Stop    bool   `json:"stop,omitempty"`
	Digits  bool   `json:"digits,omitempty"`
	Plus    bool   `json:"plus,omitempty"`
	Abbrev  *bool  `json:"abbreviations,omitempty"`
	Inherit bool   `json:"inherit,omitempty"`
	Negate  bool   `json:"negate,omitempty"`
	Unknown string `json:"unknown,omitempty"`

	Flags    string                     `json:"flags,omitempty"`
	Text     string                     `json:"text,omitempty"`
	Optional string                     `json:"optional,omitempty"`
	Harmless string                     `json:"harmless,omitempty"`
	Options  map[string]json.RawMessage `json:"options,omitempty"`

	Operands string            `json:"operands,omitempty"`
	Keys     map[string]string `json:"keys,omitempty"`
	None     []string          `json:"none,omitempty"`
	Always   []string          `json:"always,omitempty"`
	When     []rawWhen         `json:"when,omitempty"`

	Prints []rawPrints `json:"prints,omitempty"`

	Transparent bool `json:"transparent,omitempty"`

	// Commands and Other are decoded when a command line needs them.
	Commands map[string]json.RawMessage `json:"commands,omitempty"`
	Other    json.RawMessage            `json:"other,omitempty"`

	Reader string `json:"reader,omitempty"`
}

// rawOption is an option that is more than the role of its value.
type rawOption struct {
	Value    string   `json:"value,omitempty"`
	Optional bool     `json:"optional,omitempty"`
	Last     bool     `json:"last,omitempty"`
	Does     []string `json:"does,omitempty"`
}

// rawPrints is one kind of output, and when it is printed.
type rawPrints struct {
	What   string `json:"what"`
	Any    string `json:"any,omitempty"`
	With   string `json:"with,omitempty"`
	NUL    string `json:"nul,omitempty"`
	Max    *int   `json:"max,omitempty"`
	Links  bool   `json:"links,omitempty"`
	Quoted bool   `json:"quoted,omitempty"`
	Index  bool   `json:"index,omitempty"`
}

// rawWhen changes the table when certain options are given.
type rawWhen struct {
	Any       string   `json:"any,omitempty"`
	Not       string   `json:"not,omitempty"`
	Operand   bool     `json:"operand,omitempty"`
	Operands  *string  `json:"operands,omitempty"`
	None      []string `json:"none,omitempty"`
	Does      []string `json:"does,omitempty"`
	Recursive bool     `json:"recursive,omitempty"`
}

// decodeEntry reads one data file or one entry of a user's settings. Unknown
// keys are errors: a misspelled key must not turn into less knowledge.
func decodeEntry(data []byte) (*entry, error) {
	e := &entry{}
	return e, strict(data, e)
}

// strict decodes all of data and refuses unknown keys.
func strict(data []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("text after the entry")
	}
	return nil
}
