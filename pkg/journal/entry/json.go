package entry

import (
	"strconv"
	"unicode/utf8"
)

// The JSON that is kept is written by hand: the general encoder studies each
// type when it first meets it, which takes a fresh process as long as all the
// rest of a record.

// appendText appends s, which is UTF-8, as a JSON string.
func appendText(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' && c != 0x7f {
			continue
		}
		b = append(b, s[from:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, `\n`...)
		default:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		from = i + 1
	}
	return append(append(b, s[from:]...), '"')
}

// AppendJSON appends the row as a JSON object on one line.
func (r *Row) AppendJSON(b []byte) []byte {
	b = append(b, `{"seq":`...)
	b = strconv.AppendInt(b, r.Seq, 10)
	b = append(b, `,"time":`...)
	b = strconv.AppendInt(b, r.Time, 10)
	if r.About != 0 {
		b = append(b, `,"about":`...)
		b = strconv.AppendInt(b, r.About, 10)
	}
	if r.Exit != nil {
		b = append(b, `,"exit":`...)
		b = strconv.AppendInt(b, *r.Exit, 10)
	}
	for _, f := range []struct{ name, text string }{
		{`,"event":`, r.Event}, {`,"session":`, r.Session}, {`,"caller":`, r.Caller}, {`,"tool":`, r.Tool}, {`,"text":`, r.Text},
		{`,"effects":`, r.Effects}, {`,"verdict":`, r.Verdict}, {`,"reason":`, r.Reason}, {`,"rules":`, r.Rules},
		{`,"answered":`, r.Answered}, {`,"outcome":`, r.Outcome}, {`,"policy":`, r.Policy}, {`,"call":`, r.Call},
		{`,"prev":`, r.Prev}, {`,"hash":`, r.Hash},
	} {
		if f.text != "" {
			b = appendText(append(b, f.name...), f.text)
		}
	}
	return append(b, '}')
}

// effectsText returns effects as a JSON array.
func effectsText(effects []Effect) string {
	b := []byte{'['}
	for i, e := range effects {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(append(b, `{"kind":`...), e.Kind)
		for _, f := range []struct{ name, text string }{
			{`,"path":`, e.Path}, {`,"host":`, e.Host}, {`,"program":`, e.Program}, {`,"certainty":`, e.Certainty},
		} {
			if f.text != "" {
				b = appendText(append(b, f.name...), f.text)
			}
		}
		b = append(b, '}')
	}
	return string(append(b, ']'))
}

// textsText returns texts as a JSON array.
func textsText(texts []string) string {
	b := []byte{'['}
	for i, s := range texts {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(b, s)
	}
	return string(append(b, ']'))
}

// plain reports whether s can be kept as it is: UTF-8 without NUL.
func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] == 0 {
			return false
		}
	}
	return utf8.ValidString(s)
}
