package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Line is v as one line of JSON, its end included. Control characters that
// JSON leaves as they are, but that some readers take for the end of a line
// (U+0085) or terminals for a command (U+009B), are escaped.
func Line(v any) ([]byte, error) {
	if data, ok := appendValue(make([]byte, 0, 1<<10), v); ok {
		return append(data, '\n'), nil
	}
	return general(v)
}

// general is Line for values of any type.
func general(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	data := b.Bytes()
	if bytes.IndexFunc(data, c1) < 0 {
		return data, nil
	}
	out := make([]byte, 0, len(data)+16)
	for _, r := range string(data) {
		if c1(r) {
			out = fmt.Appendf(out, `\u%04x`, r)
			continue
		}
		out = append(out, string(r)...)
	}
	return out, nil
}

func c1(r rune) bool { return r >= 0x7f && r <= 0x9f }
