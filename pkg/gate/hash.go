package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// hashOf is the hash of the exact call: one byte changed is another call.
func hashOf(r Request, cwd string) string {
	// One JSON value to a line, as [json.Encoder] writes them: maps with sorted
	// keys, so that equal calls hash alike. An input that cannot be encoded
	// hashes with its error: it matches no grant of a call that could be.
	out := make([]byte, 0, 512)
	out = append(appendText(out, r.Tool.Name), '\n')
	out = append(appendText(out, r.Tool.Server), '\n')
	out = append(strconv.AppendBool(out, r.Tool.Builtin), '\n')
	out = append(appendText(out, cwd), '\n')
	out = append(strconv.AppendBool(out, r.Remote), '\n')
	if input, err := appendMap(nil, r.Input); err != nil {
		out = append(append(out, "unencodable: "...), err.Error()...)
	} else {
		out = append(append(out, input...), '\n')
	}
	env, _ := appendMap(nil, r.Env) // texts can always be encoded
	sum := sha256.Sum256(append(append(out, env...), '\n'))
	return hex.EncodeToString(sum[:])
}

// appendMap appends a map as [json.Marshal] writes it. Most of what is in one
// is text, for which there is no need of reflection.
func appendMap[T any](out []byte, m map[string]T) ([]byte, error) {
	if m == nil {
		return append(out, "null"...), nil
	}
	out = append(out, '{')
	for i, k := range slices.Sorted(maps.Keys(m)) {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(appendText(out, k), ':')
		if s, ok := any(m[k]).(string); ok {
			out = appendText(out, s)
			continue
		}
		v, err := json.Marshal(m[k])
		if err != nil {
			return nil, err
		}
		out = append(out, v...)
	}
	return append(out, '}'), nil
}

// appendText appends a text as [json.Marshal] writes it.
func appendText(out []byte, s string) []byte {
	const hexDigits = "0123456789abcdef"
	from := len(out)
	out = append(out, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c == '<' || c == '>' || c == '&':
			out = append(out, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		case c == '\n':
			out = append(out, '\\', 'n')
		case c == '\t':
			out = append(out, '\\', 't')
		case c < ' ' || c >= utf8.RuneSelf:
			v, _ := json.Marshal(s) // a text can always be encoded
			return append(out[:from], v...)
		default:
			out = append(out, c)
		}
	}
	return append(out, '"')
}
