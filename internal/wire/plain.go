package wire

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Fields is a JSON object whose members keep their order.
type Fields []Field

// Field is a member of an object. Value is nil, a bool, a string, an int, a
// [json.Number], a list or map of such values, or anything else that JSON knows.
type Field struct {
	Name  string
	Value any
}

// Text adds a text where there is one.
func (f Fields) Text(name, text string) Fields {
	if text == "" {
		return f
	}
	return append(f, Field{name, text})
}

// MarshalJSON implements json.Marshaler, for an object inside of other values.
func (f Fields) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, m := range f {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendText(b, m.Name), ':')
		value, err := general(m.Value) // json.Marshal would escape < and >
		if err != nil {
			return nil, err
		}
		b = append(b, value[:len(value)-1]...)
	}
	return append(b, '}'), nil
}

// appendValue appends v as JSON; ok is false where v is of a type that only the
// general encoder knows. That one studies each type when it first meets it,
// which takes a process that writes one line longer than all else that it does.
func appendValue(b []byte, v any) (out []byte, ok bool) {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...), true
	case bool:
		return strconv.AppendBool(b, v), true
	case string:
		return appendText(b, v), true
	case int:
		return strconv.AppendInt(b, int64(v), 10), true
	case json.Number:
		whole := v != "" && strings.Trim(string(v), "0123456789") == "" && (v[0] != '0' || len(v) == 1)
		return append(b, v...), whole
	case []any:
		return appendList(b, v)
	case Fields:
		return appendFields(b, v)
	case map[string]any:
		f := make(Fields, 0, len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			f = append(f, Field{name, v[name]})
		}
		return appendFields(b, f)
	}
	return b, false
}

func appendList(b []byte, list []any) (out []byte, ok bool) {
	if list == nil {
		return append(b, "null"...), true
	}
	b = append(b, '[')
	for i, x := range list {
		if i > 0 {
			b = append(b, ',')
		}
		if b, ok = appendValue(b, x); !ok {
			return b, false
		}
	}
	return append(b, ']'), true
}

func appendFields(b []byte, f Fields) (out []byte, ok bool) {
	b = append(b, '{')
	for i, m := range f {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendText(b, m.Name), ':')
		if b, ok = appendValue(b, m.Value); !ok {
			return b, false
		}
	}
	return append(b, '}'), true
}

// appendText appends s as a JSON string. What is no UTF-8 becomes U+FFFD.
func appendText(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); {
		r, n := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[i:])
		}
		if r >= 0x20 && r != '"' && r != '\\' && r != 0x2028 && r != 0x2029 && !c1(r) && (r != utf8.RuneError || n > 1) {
			i += n
			continue
		}
		b = append(b, s[from:i]...)
		switch r {
		case '"', '\\':
			b = append(b, '\\', byte(r))
		case '\b':
			b = append(b, `\b`...)
		case '\f':
			b = append(b, `\f`...)
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		default:
			b = append(b, '\\', 'u', hex[r>>12], hex[r>>8&15], hex[r>>4&15], hex[r&15])
		}
		i += n
		from = i
	}
	return append(append(b, s[from:]...), '"')
}
