package shell

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"mayi/pkg/shell/value"

	"mvdan.cc/sh/v3/syntax"
)

// token is one element of a shell pattern.
type token struct {
	kind byte // 'c' a character, '?' any one, '*' any text, '[' a set
	r    rune
	set  string
}

// pattern reads a word as a pattern; quoted text in it stands for itself. ok
// is false where its text is not known or it uses extended operators.
func (w *walker) pattern(st *state, word *syntax.Word) (pat []token, ok bool) {
	if word == nil {
		return nil, true
	}
	return w.patternParts(st, word.Parts)
}

func (w *walker) patternParts(st *state, parts []syntax.WordPart) (pat []token, ok bool) {
	ok = true
	quoted := func(v value.Value) {
		t, exact := v.Text()
		ok = ok && exact
		for _, r := range t {
			pat = append(pat, token{kind: 'c', r: r})
		}
	}
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			pat = append(pat, tokens(p.Value)...)
		case *syntax.SglQuoted, *syntax.DblQuoted:
			quoted(w.quotedPart(st, p))
		case *syntax.ExtGlob:
			if strings.ContainsAny(p.Pattern.Value, "$`") {
				w.unread(p, "an expansion inside an extended pattern")
			}
			ok = false
		default:
			t, exact := w.quotedPart(st, p).Text()
			ok = ok && exact
			pat = append(pat, tokens(t)...)
		}
	}
	return pat, ok
}

func tokens(s string) []token {
	var out []token
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			r, n := utf8.DecodeRuneInString(s[i+1:])
			out = append(out, token{kind: 'c', r: r})
			i += 1 + n
		case c == '?':
			out = append(out, token{kind: '?'})
			i++
		case c == '*':
			out = append(out, token{kind: '*'})
			i++
		case c == '[' && globAt(s, i) > 0:
			n := globAt(s, i)
			out = append(out, token{kind: '[', set: s[i+1 : i+n-1]})
			i += n
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			out = append(out, token{kind: 'c', r: r})
			i += n
		}
	}
	return out
}

func (t token) matches(r rune) bool {
	switch t.kind {
	case 'c':
		return t.r == r
	case '[':
		return setMatches(t.set, r)
	}
	return true
}

func setMatches(set string, r rune) bool {
	neg := false
	if set != "" && (set[0] == '!' || set[0] == '^') {
		neg, set = true, set[1:]
	}
	hit := false
	for i := 0; i < len(set); {
		if strings.HasPrefix(set[i:], "[:") {
			if end := strings.Index(set[i:], ":]"); end > 0 {
				hit = hit || classMatches(set[i+2:i+end], r)
				i += end + 2
				continue
			}
		}
		lo, n := utf8.DecodeRuneInString(set[i:])
		i += n
		if lo == '\\' && i < len(set) {
			lo, n = utf8.DecodeRuneInString(set[i:])
			i += n
		}
		hi := lo
		if i+1 < len(set) && set[i] == '-' {
			hi, n = utf8.DecodeRuneInString(set[i+1:])
			i += 1 + n
		}
		hit = hit || (lo <= r && r <= hi)
	}
	return hit != neg
}

func classMatches(name string, r rune) bool {
	switch name {
	case "alpha":
		return unicode.IsLetter(r)
	case "digit":
		return r >= '0' && r <= '9'
	case "alnum":
		return unicode.IsLetter(r) || unicode.IsDigit(r)
	case "upper":
		return unicode.IsUpper(r)
	case "lower":
		return unicode.IsLower(r)
	case "space":
		return unicode.IsSpace(r)
	case "blank":
		return r == ' ' || r == '\t'
	case "punct":
		return unicode.IsPunct(r) || unicode.IsSymbol(r)
	case "xdigit":
		return strings.ContainsRune("0123456789abcdefABCDEF", r)
	}
	return false
}

// match reports whether the pattern matches the whole text.
func match(pat []token, text []rune) bool {
	p, t, star, mark := 0, 0, -1, 0
	for t < len(text) {
		switch {
		case p < len(pat) && pat[p].kind == '*':
			star, mark = p, t
			p++
		case p < len(pat) && pat[p].matches(text[t]):
			p++
			t++
		case star >= 0:
			mark++
			p, t = star+1, mark
		default:
			return false
		}
	}
	for p < len(pat) && pat[p].kind == '*' {
		p++
	}
	return p == len(pat)
}
