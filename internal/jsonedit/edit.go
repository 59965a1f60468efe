package jsonedit

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/tailscale/hujson"
)

// Set puts value, which encoding/json can write, at path. Objects on the way
// are made where they are missing.
func (d *Doc) Set(path []string, value any) error {
	v, depth, err := d.find(path)
	if err != nil {
		return err
	}
	if depth == len(path) {
		return d.splice(v.StartOffset, v.EndOffset, d.render(value, d.indentAt(v.StartOffset)))
	}
	return d.insert(v, path, depth, value)
}

// Append adds value at the end of the list at path, which is made where it is
// missing.
func (d *Doc) Append(path []string, value any) error {
	v, depth, err := d.find(path)
	if err != nil {
		return err
	}
	if depth < len(path) {
		return d.insert(v, path, depth, []any{value})
	}
	list, ok := v.Value.(*hujson.Array)
	if !ok {
		return d.errorAt(v.StartOffset, "%s is not a list", strings.Join(path, "."))
	}
	spans := make([]span, len(list.Elements))
	for i, el := range list.Elements {
		spans[i] = span{el.StartOffset, el.EndOffset}
	}
	indent := d.inside(v, spans)
	return d.add(v, spans, d.render(value, indent))
}

// Replace puts value in place of element i of the list at path.
func (d *Doc) Replace(path []string, i int, value any) error {
	v, depth, err := d.find(path)
	if err != nil {
		return err
	}
	list, ok := v.Value.(*hujson.Array)
	if depth < len(path) || !ok || i >= len(list.Elements) {
		return d.errorAt(v.StartOffset, "%s has no element %d", strings.Join(path, "."), i)
	}
	el := list.Elements[i]
	return d.splice(el.StartOffset, el.EndOffset, d.render(value, d.indentAt(el.StartOffset)))
}

// insert adds a member to v, with objects around the value for the names that
// do not exist yet.
func (d *Doc) insert(v *hujson.Value, path []string, depth int, value any) error {
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return d.errorAt(v.StartOffset, "%s is not an object", strings.Join(path[:depth], "."))
	}
	names := path[depth:]
	for i := len(names) - 1; i > 0; i-- {
		value = map[string]any{names[i]: value}
	}
	spans := memberSpans(o)
	return d.add(v, spans, d.render(names[0], "")+": "+d.render(value, d.inside(v, spans)))
}

// span is where an element of a list or a member of an object stands.
type span struct{ start, end int }

func memberSpans(o *hujson.Object) []span {
	spans := make([]span, len(o.Members))
	for i, m := range o.Members {
		spans[i] = span{m.Name.StartOffset, m.Value.EndOffset}
	}
	return spans
}

// add puts one more element before the closing bracket of v.
func (d *Doc) add(v *hujson.Value, spans []span, element string) error {
	text, end := d.text, v.EndOffset-1
	inner := text[v.StartOffset+1 : end]
	outer := d.indentAt(v.StartOffset)
	if len(bytes.TrimSpace(inner)) == 0 {
		return d.splice(v.StartOffset+1, end, d.line+outer+d.unit+element+d.line+outer)
	}
	// Behind the last thing there is, a comment included.
	at := v.StartOffset + 1 + len(bytes.TrimRight(inner, " \t\r\n"))
	last := 0
	if len(spans) > 0 {
		last = spans[len(spans)-1].end
	}
	comma := last > 0 && commaIn(text[last:end]) >= 0
	lead, tail, upTo := " ", "", at
	lines := bytes.IndexByte(inner, '\n') >= 0
	if lines || strings.Contains(element, "\n") {
		lead = d.line + d.inside(v, spans)
		if comma {
			tail = ","
		}
		if !lines || at == end {
			tail += d.line + outer
			upTo = end
		}
	}
	if last == 0 || comma {
		return d.splice(at, upTo, lead+element+tail)
	}
	between := string(text[last:at])
	return d.splice(last, upTo, ","+between+lead+element+tail)
}

// inside is the indentation of v's elements.
func (d *Doc) inside(v *hujson.Value, spans []span) string {
	if len(spans) > 0 {
		first := spans[0].start
		if lead := string(d.text[d.lineStart(first):first]); strings.Trim(lead, " \t") == "" {
			return lead
		}
	}
	return d.indentAt(v.StartOffset) + d.unit
}

// splice replaces a range of the text and reads the result.
func (d *Doc) splice(from, to int, with string) error {
	text := make([]byte, 0, len(d.text)+len(with))
	text = append(text, d.text[:from]...)
	text = append(text, with...)
	text = append(text, d.text[to:]...)
	return d.read(text)
}

// commaIn finds the first comma outside of comments, -1 for none.
func commaIn(b []byte) int {
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case ',':
			return i
		case '/':
			i += commentLen(b[i:])
		}
	}
	return -1
}

func (d *Doc) lineStart(offset int) int {
	return bytes.LastIndexByte(d.text[:offset], '\n') + 1
}

// indentAt is the white space at the beginning of the line of offset.
func (d *Doc) indentAt(offset int) string {
	line := d.text[d.lineStart(offset):offset]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// render writes a value as JSON whose further lines are indented.
func (d *Doc) render(value any, indent string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent(indent, d.unit)
	if err := enc.Encode(value); err != nil {
		return "null"
	}
	return strings.ReplaceAll(strings.TrimRight(b.String(), "\n"), "\n", d.line)
}
