package frame

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// members calls f for each member of the object in raw, which is valid JSON.
// Values are slices of raw.
func members(raw []byte, f func(key string, value json.RawMessage)) error {
	at := blanks(raw, 0)
	if at >= len(raw) || raw[at] != '{' {
		return fmt.Errorf("%w: it is no object", ErrUnreadable)
	}
	for at = blanks(raw, at+1); raw[at] != '}'; {
		end := skip(raw, at)
		var key string
		if err := json.Unmarshal(raw[at:end], &key); err != nil {
			return fmt.Errorf("%w: %w", ErrUnreadable, err)
		}
		from := blanks(raw, blanks(raw, end)+1) // behind the colon
		end = skip(raw, from)
		f(key, raw[from:end:end])
		if at = blanks(raw, end); raw[at] == ',' {
			at = blanks(raw, at+1)
		}
	}
	return nil
}

// Elements splits a batch, which is a JSON array, into its messages; false where
// raw is none.
func Elements(raw []byte) ([]json.RawMessage, bool) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] != '[' {
		return nil, false
	}
	var out []json.RawMessage
	if json.Unmarshal(raw, &out) != nil {
		return nil, false
	}
	return out, true
}

func blanks(raw []byte, at int) int {
	for at < len(raw) && (raw[at] == ' ' || raw[at] == '\t' || raw[at] == '\n' || raw[at] == '\r') {
		at++
	}
	return at
}

// skip returns the end of the value that begins at at.
func skip(raw []byte, at int) int {
	depth := 0
	for at < len(raw) {
		switch c := raw[at]; c {
		case '"':
			at = text(raw, at)
			if depth == 0 {
				return at
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return at + 1
			}
			if depth < 0 {
				return at
			}
		case ',', ':', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return at
			}
		}
		at++
	}
	return at
}

// text returns the end of the text that begins at at.
func text(raw []byte, at int) int {
	for at++; at < len(raw); at++ {
		switch raw[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
	return at
}
