package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"

	"mayi/pkg/journal/entry"
)

// Line is a line of the journal: a record and a code for it.
type Line struct {
	// Row is nil where the line cannot be trusted; Err says why.
	Row *entry.Row
	Err error
	// From and To are the offsets of its first byte and behind its last.
	From, To int64
	// Torn: it has no end.
	Torn bool
}

// appendLine appends the row as a line.
func appendLine(b []byte, r *entry.Row, k Key) []byte {
	from := len(b)
	b = r.AppendJSON(b)
	text := b[from:]
	return append(k.code(append(b, '\t'), "line\n", text), '\n')
}

// Lines yields the lines in data, which stands at the offset from.
func (k Key) Lines(data []byte, from int64) iter.Seq[Line] {
	return func(yield func(Line) bool) {
		for len(data) > 0 {
			text, rest, whole := bytes.Cut(data, []byte("\n"))
			l := Line{From: from, To: from + int64(len(data)-len(rest)), Torn: !whole}
			l.Row, l.Err = k.row(text)
			if l.Torn && l.Err == nil {
				l.Row, l.Err = nil, errors.New("its end is missing")
			}
			if !yield(l) {
				return
			}
			from, data = l.To, rest
		}
	}
}

func (k Key) row(line []byte) (*entry.Row, error) {
	text, code, ok := bytes.Cut(line, []byte("\t"))
	if !ok || !k.checks(code, text, "line\n") {
		return nil, errors.New("its code is not by this log's key")
	}
	r := new(entry.Row)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, err
	}
	return r, nil
}
