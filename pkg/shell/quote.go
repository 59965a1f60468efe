package shell

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"mayi/pkg/shell/value"

	"mvdan.cc/sh/v3/syntax"
)

// quotedWord expands a word to one string: no splitting, no globs, tilde
// expansion outside of quotes.
func (w *walker) quotedWord(st *state, word *syntax.Word) value.Value {
	if word == nil {
		return value.Value{}
	}
	if t, ok := plainWord(word); ok {
		return value.Exact(t)
	}
	b := w.newBuilder(st, word)
	b.nosplit = true
	b.parts(word.Parts, true)
	return oneValue(b.done())
}

// assignValue expands the right side of an assignment.
func (w *walker) assignValue(st *state, word *syntax.Word) value.Value {
	if t, ok := plainWord(word); ok && !strings.Contains(t, "~") {
		return value.Exact(t)
	}
	b := w.newBuilder(st, word)
	b.assign = true
	b.parts(word.Parts, true)
	return oneValue(b.done())
}

func oneValue(fields []value.Value) value.Value {
	if len(fields) == 0 {
		return value.Value{}
	}
	out := fields[0]
	for _, f := range fields[1:] {
		out = value.Concat(value.Concat(out, value.Exact(" ")), f)
	}
	return out.Unmarked()
}

// quotedParts expands what stands inside double quotes.
func (w *walker) quotedParts(st *state, parts []syntax.WordPart) value.Value {
	var out value.Value
	for _, p := range parts {
		if lit, ok := p.(*syntax.Lit); ok {
			out = value.Concat(out, value.Exact(unescape(lit.Value, "$`\"\\")))
			continue
		}
		out = value.Concat(out, w.quotedPart(st, p))
	}
	return out.Unmarked()
}

func (w *walker) quotedPart(st *state, p syntax.WordPart) value.Value {
	switch p := p.(type) {
	case *syntax.Lit:
		return value.Exact(p.Value)
	case *syntax.SglQuoted:
		return value.Exact(sglText(p))
	case *syntax.DblQuoted:
		return w.quotedParts(st, p.Parts)
	case *syntax.ParamExp:
		return w.param(st, p, true).scalar(st).Unmarked()
	case *syntax.CmdSubst:
		return w.cmdSubst(st, p)
	case *syntax.ArithmExp:
		return w.arith(st, p.X)
	case *syntax.ProcSubst:
		return w.procSubst(st, p)
	case *syntax.ExtGlob:
		return value.Exact(p.Op.String() + p.Pattern.Value + ")")
	}
	w.unread(p, "a kind of word that is not known")
	return value.Unknown("a kind of word that is not known")
}

// unescape removes the backslashes that quote one of the bytes in special, and
// line continuations.
func unescape(s, special string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			if s[i+1] == '\n' {
				i++
				continue
			}
			if strings.IndexByte(special, s[i+1]) >= 0 {
				i++
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func sglText(q *syntax.SglQuoted) string {
	if !q.Dollar {
		return q.Value
	}
	s, _ := ansiC(q.Value, false)
	return s
}

// ansiC decodes backslash escapes as $'…' does, or, with echo set, as echo -e
// and printf %b do. stop: \c ended the text.
func ansiC(s string, echo bool) (out string, stop bool) {
	if !strings.Contains(s, `\`) {
		return s, false
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '\\' || i+1 >= len(s) {
			b.WriteByte(c)
			continue
		}
		i++
		c = s[i]
		if r := strings.IndexByte("abefnrtv", c); r >= 0 {
			b.WriteByte("\a\b\x1b\f\n\r\t\v"[r])
			continue
		}
		switch {
		case c == 'E':
			b.WriteByte(0x1b)
		case c == '\\' || (!echo && (c == '\'' || c == '"' || c == '?')):
			b.WriteByte(c)
		case c == 'c' && echo:
			return b.String(), true
		case c == 'c' && i+1 < len(s):
			i++
			b.WriteByte(s[i] & 0x1f)
		case c == 'x':
			n, v := numeral(s[i+1:], 2, 16)
			if n == 0 {
				b.WriteString(`\x`)
				continue
			}
			i += n
			if v == 0 && !echo {
				return b.String(), false
			}
			b.WriteByte(byte(v))
		case c == 'u' || c == 'U':
			size := 4
			if c == 'U' {
				size = 8
			}
			n, v := numeral(s[i+1:], size, 16)
			if n == 0 {
				b.WriteByte('\\')
				b.WriteByte(c)
				continue
			}
			i += n
			b.Write(utf8.AppendRune(nil, rune(v)))
		case c >= '0' && c <= '7':
			size := 3
			if echo && c == '0' {
				i++
			} else if echo {
				// echo -e wants \0nnn; printf's formats take \nnn as well.
				b.WriteByte('\\')
				b.WriteByte(c)
				continue
			}
			n, v := numeral(s[i:], size, 8)
			i += n - 1
			if v&0xff == 0 && !echo {
				return b.String(), false
			}
			b.WriteByte(byte(v))
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String(), false
}

// numeral reads up to size digits in the base.
func numeral(s string, size, base int) (n int, v uint64) {
	for n < len(s) && n < size {
		if _, err := strconv.ParseUint(s[n:n+1], base, 8); err != nil {
			break
		}
		n++
	}
	v, _ = strconv.ParseUint(s[:n], base, 64)
	return n, v
}
