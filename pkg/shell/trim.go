package shell

import (
	"slices"
	"strings"

	"mayi/pkg/shell/value"

	"mvdan.cc/sh/v3/syntax"
)

// trim is ${x#pat} and its like. The lengths tried are bounded by the value's
// own bound on text.
func trim(v value.Value, pat []token, known bool, op syntax.ParExpOperator) value.Value {
	if !known {
		return trimmed(v)
	}
	out, ok := v.Map(func(s string) string {
		if len(s) > 1024 {
			return s
		}
		return trimText(s, pat, op)
	})
	if ok && !tooLong(v) {
		return out
	}
	if out, ok := trimPieces(v, pat, op); ok {
		return out
	}
	return trimmed(v)
}

func tooLong(v value.Value) bool {
	texts, _ := v.Texts()
	for _, t := range texts {
		if len(t) > 1024 {
			return true
		}
	}
	return false
}

func trimText(s string, pat []token, op syntax.ParExpOperator) string {
	r := []rune(s)
	n := len(r)
	for i := 0; i <= n; i++ {
		switch op {
		case syntax.RemSmallPrefix:
			if match(pat, r[:i]) {
				return string(r[i:])
			}
		case syntax.RemLargePrefix:
			if match(pat, r[:n-i]) {
				return string(r[n-i:])
			}
		case syntax.RemSmallSuffix:
			if match(pat, r[n-i:]) {
				return string(r[:n-i])
			}
		case syntax.RemLargeSuffix:
			if match(pat, r[i:]) {
				return string(r[:i])
			}
		}
	}
	return s
}

// trimmed is any piece of v: without a slash in v there is none in the piece.
func trimmed(v value.Value) value.Value {
	for _, alt := range v.Alternatives() {
		for _, p := range alt {
			if crosses(p) || p.Kind == value.Any || p.Kind == value.Home || (p.Kind == value.Lit && strings.Contains(p.Text, "/")) {
				return value.Unknown("a piece of a text that is not known")
			}
		}
	}
	return value.Pattern("*")
}

// trimPieces handles the usual patterns on values that hold a glob, as loop
// variables over files do: a literal suffix, */ and /*.
func trimPieces(v value.Value, pat []token, op syntax.ParExpOperator) (value.Value, bool) {
	lit, star, ok := literalAround(pat)
	if !ok {
		return value.Value{}, false
	}
	var out value.Value
	for i, alt := range v.Alternatives() {
		r, ok := trimAlt(alt, lit, star, op)
		if !ok {
			return value.Value{}, false
		}
		if i == 0 {
			out = r
		} else {
			out = value.Union(out, r)
		}
	}
	return out, true
}

// literalAround splits a pattern into its literal text and where a star
// stands: before it, after it or nowhere.
func literalAround(pat []token) (lit string, star byte, ok bool) {
	for i, t := range pat {
		switch {
		case t.kind == 'c':
			lit += string(t.r)
		case t.kind == '*' && i == 0:
			star = '<'
		case t.kind == '*' && i == len(pat)-1 && star == 0:
			star = '>'
		default:
			return "", 0, false
		}
	}
	return lit, star, lit != ""
}

func trimAlt(alt []value.Piece, lit string, star byte, op syntax.ParExpOperator) (value.Value, bool) {
	build := func(pieces []value.Piece) value.Value {
		var out value.Value
		for _, p := range pieces {
			switch p.Kind {
			case value.Lit:
				out = value.Concat(out, value.Exact(p.Text))
			case value.Glob:
				out = value.Concat(out, value.Pattern(p.Text))
			case value.Num:
				out = value.Concat(out, value.Number(p.Text))
			default:
				out = value.Concat(out, value.Unknown(p.Text))
			}
		}
		return out
	}
	for _, p := range alt {
		if p.Kind == value.Any || p.Kind == value.Home {
			return value.Value{}, false
		}
	}
	n := len(alt)
	if i := slices.IndexFunc(alt, crosses); i >= 0 {
		if lit != "/" || star != '<' || op != syntax.RemLargePrefix || i != n-1 || !namesFile(alt[:i]) {
			return value.Value{}, false
		}
		// Any name below, without its directory.
		return value.Deep(true), true
	}
	switch {
	case star == 0 && (op == syntax.RemSmallSuffix || op == syntax.RemLargeSuffix):
		if n > 0 && alt[n-1].Kind == value.Lit && strings.HasSuffix(alt[n-1].Text, lit) {
			last := value.Exact(strings.TrimSuffix(alt[n-1].Text, lit))
			return value.Concat(build(alt[:n-1]), last), true
		}
	case lit == "/" && star == '<' && op == syntax.RemLargePrefix, lit == "/" && star == '>' && op == syntax.RemSmallSuffix:
		// Neither globs nor numbers hold a slash: the last one is in a literal.
		for i := n - 1; i >= 0; i-- {
			if alt[i].Kind != value.Lit {
				continue
			}
			at := strings.LastIndexByte(alt[i].Text, '/')
			if at < 0 {
				continue
			}
			if star == '<' {
				return value.Concat(value.Exact(alt[i].Text[at+1:]), build(alt[i+1:])), true
			}
			return value.Concat(build(alt[:i]), value.Exact(alt[i].Text[:at])), true
		}
		return build(alt), true
	}
	return value.Value{}, false
}

// crosses: the piece stands for text that may hold slashes.
func crosses(p value.Piece) bool { return p.Kind == value.Glob && strings.Contains(p.Text, "**") }

// namesFile reports whether what stands before a "**" is literal and its own
// last component is a name, not "..".
func namesFile(pieces []value.Piece) bool {
	text := ""
	for _, p := range pieces {
		if p.Kind != value.Lit {
			return false
		}
		text += p.Text
	}
	text = strings.TrimRight(text, "/")
	return text[strings.LastIndexByte(text, '/')+1:] != ".."
}

// replaceText is ${x/pat/with}, or ${x//pat/with} with all set.
func replaceText(s string, pat []token, with string, all bool) string {
	if len(pat) == 0 {
		return s
	}
	anchor := rune(0)
	if !all && pat[0].kind == 'c' && (pat[0].r == '#' || pat[0].r == '%') {
		anchor, pat = pat[0].r, pat[1:]
	}
	r := []rune(s)
	switch anchor {
	case '#':
		for j := len(r); j >= 0; j-- {
			if match(pat, r[:j]) {
				return with + string(r[j:])
			}
		}
		return s
	case '%':
		for j := 0; j <= len(r); j++ {
			if match(pat, r[j:]) {
				return string(r[:j]) + with
			}
		}
		return s
	}
	if len(r) == 0 && match(pat, r) {
		return with
	}
	var b strings.Builder
	for i := 0; i < len(r); {
		end := i
		for j := len(r); j > i; j-- {
			if match(pat, r[i:j]) {
				end = j
				break
			}
		}
		if end == i {
			b.WriteRune(r[i])
			i++
			continue
		}
		b.WriteString(with)
		i = end
		if !all {
			return b.String() + string(r[i:])
		}
	}
	return b.String()
}
