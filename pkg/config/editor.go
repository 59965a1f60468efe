package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// editor changes the text of a settings file by splicing, so that what it does
// not touch stays byte for byte.
type editor struct {
	doc *document
	// unit is one step of indentation, line how lines end.
	unit, line string
}

func newEditor(file string, text []byte) (*editor, error) {
	e := &editor{unit: "  ", line: "\n"}
	if bytes.Contains(text, []byte("\r\n")) {
		e.line = "\r\n"
	}
	if err := e.reparse(file, text); err != nil {
		return nil, err
	}
	if m := e.doc.root.Members; len(m) > 0 {
		if ind := e.indentAt(m[0].Name.StartOffset); ind != "" {
			e.unit = ind
		}
	}
	return e, nil
}

func (e *editor) reparse(file string, text []byte) error {
	d, problem := parse("user", file, text)
	if problem != nil {
		return *problem
	}
	e.doc = d
	return nil
}

// splice replaces a range of the text and reads the result.
func (e *editor) splice(from, to int, with string) error {
	text := make([]byte, 0, len(e.doc.text)+len(with))
	text = append(text, e.doc.text[:from]...)
	text = append(text, with...)
	text = append(text, e.doc.text[to:]...)
	return e.reparse(e.doc.file, text)
}

// find returns the value at path, and how many of the names exist.
func (e *editor) find(path []string) (v *hujson.Value, depth int) {
	v = e.rootValue()
	for depth < len(path) {
		o, ok := v.Value.(*hujson.Object)
		if !ok {
			return v, depth
		}
		next := (*hujson.Value)(nil)
		for i := range o.Members {
			if name, err := text(o.Members[i].Name.Value); err == nil && name == path[depth] {
				next = &o.Members[i].Value
				break
			}
		}
		if next == nil {
			return v, depth
		}
		v, depth = next, depth+1
	}
	return v, depth
}

// rootValue is the outermost object as a value with its offsets.
func (e *editor) rootValue() *hujson.Value {
	start := bytes.IndexByte(e.doc.text, '{')
	v, err := hujson.Parse(blank(e.doc.text, len(e.doc.text)-len(bytes.TrimPrefix(e.doc.text, []byte("\ufeff")))))
	if err != nil {
		return &hujson.Value{Value: e.doc.root, StartOffset: start, EndOffset: len(e.doc.text)}
	}
	return &v
}

func (e *editor) set(path []string, value any) error {
	v, depth := e.find(path)
	if depth == len(path) {
		return e.splice(v.StartOffset, v.EndOffset, e.render(value, e.indentAt(v.StartOffset)))
	}
	return e.insert(v, path[depth:], value)
}

func (e *editor) append(path []string, item string) error {
	v, depth := e.find(path)
	if depth < len(path) {
		return e.insert(v, path[depth:], []string{item})
	}
	list, ok := v.Value.(*hujson.Array)
	if !ok {
		return fmt.Errorf("%s is not a list", strings.Join(path, "."))
	}
	for _, el := range list.Elements {
		if s, err := text(el.Value); err == nil && s == item {
			return nil
		}
	}
	last := 0
	if n := len(list.Elements); n > 0 {
		last = list.Elements[n-1].EndOffset
	}
	return e.add(v, last, e.render(item, ""))
}

// insert adds a member, with objects around the value for the names that do
// not exist yet.
func (e *editor) insert(v *hujson.Value, names []string, value any) error {
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return fmt.Errorf("%s cannot be put into what is not an object", quote(names[0]))
	}
	for i := len(names) - 1; i > 0; i-- {
		value = map[string]any{names[i]: value}
	}
	last := 0
	if n := len(o.Members); n > 0 {
		last = o.Members[n-1].Value.EndOffset
	}
	return e.add(v, last, e.render(names[0], "")+": "+e.render(value, e.indentAt(v.StartOffset)+e.unit))
}

// add puts one more element before the closing bracket of v; last is where the
// last element ends, 0 where there is none.
func (e *editor) add(v *hujson.Value, last int, element string) error {
	text, end := e.doc.text, v.EndOffset-1
	inner := text[v.StartOffset+1 : end]
	// Behind the last thing there is, a comment included.
	at := v.StartOffset + 1 + len(bytes.TrimRight(inner, " \t\r\n"))
	outer := e.indentAt(v.StartOffset)
	if last == 0 && len(bytes.TrimSpace(inner)) == 0 {
		return e.splice(v.StartOffset+1, end, e.line+outer+e.unit+element+e.line+outer)
	}
	comma := last > 0 && hasComma(text[last:end])
	lead, tail := " ", ""
	if bytes.IndexByte(inner, '\n') >= 0 {
		lead = e.line + e.inside(v, outer)
		if comma {
			tail = ","
		}
	}
	if at == end && strings.HasPrefix(lead, "\n") {
		tail += e.line + outer
	}
	if last == 0 || comma {
		return e.splice(at, at, lead+element+tail)
	}
	between := string(text[last:at])
	return e.splice(last, at, ","+between+lead+element+tail)
}

// inside is the indentation of v's elements.
func (e *editor) inside(v *hujson.Value, outer string) string {
	first := -1
	switch x := v.Value.(type) {
	case *hujson.Object:
		if len(x.Members) > 0 {
			first = x.Members[0].Name.StartOffset
		}
	case *hujson.Array:
		if len(x.Elements) > 0 {
			first = x.Elements[0].StartOffset
		}
	}
	if first >= 0 {
		line := e.lineStart(first)
		if lead := string(e.doc.text[line:first]); strings.Trim(lead, " \t") == "" {
			return lead
		}
	}
	return outer + e.unit
}

// hasComma looks for a comma outside of comments.
func hasComma(b []byte) bool {
	for i := 0; i < len(b); i++ {
		switch {
		case b[i] == ',':
			return true
		case bytes.HasPrefix(b[i:], []byte("//")):
			n := bytes.IndexByte(b[i:], '\n')
			if n < 0 {
				return false
			}
			i += n
		case bytes.HasPrefix(b[i:], []byte("/*")):
			n := bytes.Index(b[i+2:], []byte("*/"))
			if n < 0 {
				return false
			}
			i += n + 3
		}
	}
	return false
}

func (e *editor) lineStart(offset int) int {
	return bytes.LastIndexByte(e.doc.text[:offset], '\n') + 1
}

// indentAt is the white space at the beginning of the line of offset.
func (e *editor) indentAt(offset int) string {
	line := e.doc.text[e.lineStart(offset):offset]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// render writes a value as JSON whose further lines are indented.
func (e *editor) render(value any, indent string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent(indent, e.unit)
	if err := enc.Encode(value); err != nil {
		return "null"
	}
	return strings.ReplaceAll(strings.TrimRight(b.String(), "\n"), "\n", e.line)
}
