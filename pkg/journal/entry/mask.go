package entry

import (
	"regexp"
	"strings"
	"sync"
)

// masked stands where a secret stood.
const masked = "***"

// Masker hides secrets in text that is kept: keys, tokens, passwords in URLs,
// options, assignments and headers. It would rather hide too much than keep a
// secret, and is no proof that there is none left. Safe for concurrent use.
type Masker struct{ patterns []*pattern }

// pattern is one shape of secrets. It is compiled when a text first holds one
// of its needles: most texts hold none.
type pattern struct {
	shape
	// hide replaces what re finds in s.
	hide func(re *regexp.Regexp, s string) string

	once sync.Once
	re   *regexp.Regexp
}

// NewMasker returns a masker. It keeps what it compiles, so keep it, too.
func NewMasker() *Masker {
	m := &Masker{}
	add := func(hide func(*regexp.Regexp, string) string, shapes []shape) {
		for _, s := range shapes {
			m.patterns = append(m.patterns, &pattern{shape: s, hide: hide})
		}
	}
	add(hideWhole, blockShapes())
	add(hidePairs, pairShapes())
	add(hideWhole, tokenShapes())
	return m
}

// Mask returns s with what looks like a secret replaced by ***.
func (m *Masker) Mask(s string) string {
	if len(s) < 4 {
		return s // shorter than any secret with its name
	}
	low := strings.ToLower(s)
	for _, p := range m.patterns {
		if p.mayBeIn(low) {
			p.once.Do(func() { p.re = regexp.MustCompile(p.expr) })
			s = p.hide(p.re, s)
		}
	}
	return s
}

func hideWhole(re *regexp.Regexp, s string) string { return re.ReplaceAllLiteralString(s, masked) }

// hidePairs replaces what follows group 1 in each match. A value that only
// names a variable is no secret, and says more as it is.
func hidePairs(re *regexp.Regexp, s string) string {
	var b strings.Builder
	end := 0
	for _, m := range re.FindAllStringSubmatchIndex(s, -1) {
		secret := s[m[3]:m[1]]
		b.WriteString(s[end:m[3]])
		at := ""
		if strings.HasSuffix(secret, "@") && strings.Contains(s[m[2]:m[3]], "://") {
			at = "@"
		}
		if isVariable(strings.TrimSuffix(secret, at)) {
			b.WriteString(secret)
		} else {
			b.WriteString(masked + at)
		}
		end = m[1]
	}
	b.WriteString(s[end:])
	return b.String()
}

// isVariable reports whether s is $NAME or ${NAME}, quoted or not.
func isVariable(s string) bool {
	if len(s) > 1 && s[0] == '"' && s[len(s)-1] == '"' {
		s = s[1 : len(s)-1]
	}
	name, ok := strings.CutPrefix(s, "$")
	if inner, braced := strings.CutPrefix(name, "{"); braced {
		if name, ok = strings.CutSuffix(inner, "}"); !ok {
			return false
		}
	}
	if !ok || name == "" {
		return false
	}
	for _, c := range name {
		if c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}

// cutText bounds a text that is kept, at a blank so that no secret is cut in
// two, and says how much is missing.
func cutText(s string, limit int) (kept, rest string) {
	if len(s) <= limit {
		return s, ""
	}
	at := strings.LastIndexAny(s[:limit], " \t\n")
	if at < 0 {
		at = 0
	}
	return s[:at], s[at:]
}
