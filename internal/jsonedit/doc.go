// Package jsonedit changes single values in the text of a JSON file that a
// person keeps: whatever is not asked to change, comments, order and layout
// included, stays byte for byte. JSON with comments and trailing commas is
// read; what is written is plain JSON.
package jsonedit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// maxDepth is how deeply a file may nest; the parser recurses.
const maxDepth = 200

// Doc is a file's text with its tree. It is not safe for concurrent use.
type Doc struct {
	file string
	text []byte
	root hujson.Value
	// unit is one step of indentation, line how lines end.
	unit, line string
}

// Error says where a file is not what it should be. Line and Col start at 1;
// Col counts characters.
type Error struct {
	File      string
	Line, Col int
	Text      string
}

// Error is the fault on one line, with its place in front.
func (e *Error) Error() string { return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Text) }

// Parse reads a file's text; file is its name for errors, which are of type
// *[Error]. The outermost value has to be an object. A text without anything
// in it is an empty object.
func Parse(file string, text []byte) (*Doc, error) {
	d := &Doc{file: file, unit: "  ", line: "\n"}
	if bytes.Contains(text, []byte("\r\n")) {
		d.line = "\r\n"
	}
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}" + d.line)
	}
	if err := d.read(text); err != nil {
		return nil, err
	}
	if o := d.root.Value.(*hujson.Object); len(o.Members) > 0 {
		if ind := d.indentAt(o.Members[0].Name.StartOffset); ind != "" {
			d.unit = ind
		}
	}
	return d, nil
}

// Bytes is the text as it is now.
func (d *Doc) Bytes() []byte { return d.text }

func (d *Doc) read(text []byte) error {
	fail := func(offset int, why string) error {
		line, col := position(text, offset)
		return &Error{d.file, line, col, why}
	}
	if i := invalidAt(text); i >= 0 {
		return fail(i, "this is not valid UTF-8")
	}
	if at, deep := tooDeep(text); deep {
		return fail(at, "this is nested too deeply")
	}
	body := text
	if bytes.HasPrefix(text, []byte("\ufeff")) {
		// Spaces instead of a byte order mark keep the offsets true.
		body = append([]byte("   "), text[3:]...)
	}
	v, err := hujson.Parse(body)
	if err != nil {
		offset, why := parseError(err, text)
		return fail(offset, "the file cannot be read: "+why)
	}
	if _, ok := v.Value.(*hujson.Object); !ok {
		return fail(v.StartOffset, "the outermost value is not an object")
	}
	d.text, d.root = text, v
	return nil
}

// find returns the value at path, and how many of its names exist. A number
// names an element of a list. A name that stands twice in one object is an
// error: readers differ in which one counts.
func (d *Doc) find(path []string) (v *hujson.Value, depth int, err error) {
	v = &d.root
	for ; depth < len(path); depth++ {
		if list, ok := v.Value.(*hujson.Array); ok {
			i, err := strconv.Atoi(path[depth])
			if err != nil || i < 0 || i >= len(list.Elements) {
				return v, depth, nil
			}
			v = &list.Elements[i]
			continue
		}
		o, ok := v.Value.(*hujson.Object)
		if !ok {
			return v, depth, nil
		}
		var next *hujson.Value
		for i := range o.Members {
			if memberName(&o.Members[i]) != path[depth] {
				continue
			}
			if next != nil {
				return nil, depth, d.errorAt(o.Members[i].Name.StartOffset, "%q stands here for the second time", path[depth])
			}
			next = &o.Members[i].Value
		}
		if next == nil {
			return v, depth, nil
		}
		v = next
	}
	return v, depth, nil
}

// Has reports whether there is a value at path.
func (d *Doc) Has(path ...string) bool {
	_, depth, err := d.find(path)
	return err == nil && depth == len(path)
}

// Get decodes the value at path into out, which is left alone where there is
// none.
func (d *Doc) Get(out any, path ...string) error {
	v, depth, err := d.find(path)
	if err != nil || depth < len(path) {
		return err
	}
	if err := json.Unmarshal(plain(v), out); err != nil {
		return d.errorAt(v.StartOffset, "%s is not what it should be: %v", strings.Join(path, "."), err)
	}
	return nil
}

// Elements returns the elements of the list at path as plain JSON; there are
// none where there is no list. Another kind of value is an error.
func (d *Doc) Elements(path ...string) ([]json.RawMessage, error) {
	v, depth, err := d.find(path)
	if err != nil {
		return nil, err
	}
	if depth < len(path) {
		if _, ok := v.Value.(*hujson.Object); !ok {
			return nil, d.errorAt(v.StartOffset, "%s is not an object", strings.Join(path[:depth], "."))
		}
		return nil, nil
	}
	list, ok := v.Value.(*hujson.Array)
	if !ok {
		return nil, d.errorAt(v.StartOffset, "%s is not a list", strings.Join(path, "."))
	}
	out := make([]json.RawMessage, len(list.Elements))
	for i := range list.Elements {
		out[i] = plain(&list.Elements[i])
	}
	return out, nil
}

func plain(v *hujson.Value) json.RawMessage {
	c := v.Clone()
	c.Standardize()
	c.BeforeExtra, c.AfterExtra = nil, nil
	return json.RawMessage(c.Pack())
}

func memberName(m *hujson.ObjectMember) string {
	lit, _ := m.Name.Value.(hujson.Literal)
	var s string
	_ = json.Unmarshal(lit, &s) // the parser has read it as a string
	return s
}

func (d *Doc) errorAt(offset int, format string, args ...any) error {
	line, col := position(d.text, offset)
	return &Error{d.file, line, col, fmt.Sprintf(format, args...)}
}
