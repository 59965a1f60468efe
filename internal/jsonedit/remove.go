package jsonedit

import (
	"bytes"
	"strings"

	"github.com/tailscale/hujson"
)

// Remove takes the member at path out of its object. A member that is not there
// is no error.
func (d *Doc) Remove(path ...string) error {
	v, depth, err := d.find(path[:len(path)-1])
	if err != nil || depth < len(path)-1 {
		return err
	}
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	for i := range o.Members {
		if memberName(&o.Members[i]) == path[len(path)-1] {
			return d.cut(v, memberSpans(o), i)
		}
	}
	return nil
}

// RemoveElement takes element i out of the list at path.
func (d *Doc) RemoveElement(path []string, i int) error {
	v, depth, err := d.find(path)
	if err != nil {
		return err
	}
	list, ok := v.Value.(*hujson.Array)
	if depth < len(path) || !ok || i >= len(list.Elements) {
		return d.errorAt(v.StartOffset, "%s has no element %d", strings.Join(path, "."), i)
	}
	spans := make([]span, len(list.Elements))
	for k, el := range list.Elements {
		spans[k] = span{el.StartOffset, el.EndOffset}
	}
	return d.cut(v, spans, i)
}

// Empty reports whether the value at path is an object or a list with nothing
// in it, a comment included.
func (d *Doc) Empty(path ...string) bool {
	v, depth, err := d.find(path)
	if err != nil || depth < len(path) {
		return false
	}
	switch v.Value.(type) {
	case *hujson.Object, *hujson.Array:
		return len(bytes.TrimSpace(d.text[v.StartOffset+1:v.EndOffset-1])) == 0
	}
	return false
}

// cut takes span i of v's out, with the comma that it no longer needs and the
// line that it leaves blank.
func (d *Doc) cut(v *hujson.Value, spans []span, i int) error {
	text, el := d.text, spans[i]
	from, to := el.start, el.end
	stop := v.EndOffset - 1
	if i+1 < len(spans) {
		stop = spans[i+1].start
	}
	comma := commaIn(text[el.end:stop])
	if comma >= 0 {
		to = el.end + comma + 1
	}
	line := d.lineStart(from)
	if strings.Trim(string(text[line:from]), " \t") == "" {
		// The whole line, where nothing else stands on it.
		rest := text[to:]
		n := bytes.IndexByte(rest, '\n')
		if n >= 0 && len(bytes.TrimSpace(rest[:n])) == 0 {
			from, to = line, to+n+1
		}
	} else if i+1 < len(spans) {
		to += len(text[to:stop]) - len(bytes.TrimLeft(text[to:stop], " \t"))
	} else if i > 0 {
		from = len(bytes.TrimRight(text[:from], " \t"))
	}
	cut := string(text[:from]) + string(text[to:])
	if comma < 0 && i > 0 {
		// The last one goes: so does the comma in front of it.
		prev := spans[i-1].end
		if at := commaIn(text[prev:el.start]); at >= 0 {
			cut = cut[:prev+at] + cut[prev+at+1:]
		}
	}
	if len(spans) == 1 {
		inner := cut[v.StartOffset+1 : len(cut)-(len(text)-(v.EndOffset-1))]
		if strings.TrimSpace(inner) == "" {
			cut = cut[:v.StartOffset+1] + cut[v.StartOffset+1+len(inner):]
		}
	}
	return d.read([]byte(cut))
}
