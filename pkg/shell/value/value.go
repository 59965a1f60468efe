// Package value is the abstract evaluation's idea of a string: exact, one of a
// few, bounded by what is known of its shape, or unknown.
//
// Every later stage (rules, paths, hosts, inner commands) reads words through
// this one type, so that a word is never "known" in one place and unknown in
// another. Values are immutable and safe for concurrent use.
package value

import "strings"

// PieceKind is the kind of one stretch of a value.
type PieceKind uint8

const (
	// Lit is literal text.
	Lit PieceKind = iota
	// Glob is an unquoted pattern (*, ?, [a-z]) that the shell expands to file names;
	// Text holds the pattern. It never matches a slash.
	Glob
	// Any is text that is not known at all; it may be empty and may hold slashes.
	Any
)

// Piece is one stretch of a value.
type Piece struct {
	Kind PieceKind
	// Text is the literal text or the glob pattern; for Any the reason it is not known.
	Text string
}

// Value is a set of strings. The zero Value is the exact empty string.
type Value struct {
	// alts are the alternatives, each a sequence of pieces. nil stands for the
	// empty string.
	alts [][]Piece
}

// MaxAlternatives bounds how many alternatives a value keeps; more become Any.
const MaxAlternatives = 32

// Exact is the value with exactly this text.
func Exact(s string) Value {
	if s == "" {
		return Value{}
	}
	return Value{alts: [][]Piece{{{Lit, s}}}}
}

// Unknown is any text; why says what hid it.
func Unknown(why string) Value { return Value{alts: [][]Piece{{{Any, why}}}} }

// Pattern is a glob that the shell expands to file names.
func Pattern(p string) Value { return Value{alts: [][]Piece{{{Glob, p}}}} }

// Alternatives returns the alternatives, at least one. The caller must not
// change them.
func (v Value) Alternatives() [][]Piece {
	if len(v.alts) == 0 {
		return [][]Piece{nil}
	}
	return v.alts
}

// Text returns the string and true where the value is exact.
func (v Value) Text() (string, bool) {
	if len(v.alts) == 0 {
		return "", true
	}
	if len(v.alts) != 1 {
		return "", false
	}
	return flat(v.alts[0])
}

// Texts returns every possible string and true where the value is exact or one
// of a few.
func (v Value) Texts() ([]string, bool) {
	out := make([]string, 0, len(v.alts)+1)
	for _, a := range v.Alternatives() {
		s, ok := flat(a)
		if !ok {
			return nil, false
		}
		out = append(out, s)
	}
	return out, true
}

func flat(a []Piece) (string, bool) {
	if len(a) == 1 && a[0].Kind == Lit {
		return a[0].Text, true
	}
	var b strings.Builder
	for _, p := range a {
		if p.Kind != Lit {
			return "", false
		}
		b.WriteString(p.Text)
	}
	return b.String(), true
}

// Prefix returns the literal text that every possible string begins with.
func (v Value) Prefix() string {
	best, first := "", true
	for _, a := range v.Alternatives() {
		var b strings.Builder
		for _, p := range a {
			if p.Kind != Lit {
				break
			}
			b.WriteString(p.Text)
		}
		if first {
			best, first = b.String(), false
			continue
		}
		best = common(best, b.String())
	}
	return best
}

func common(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n]
}

// HasUnknown reports whether some alternative holds text that is not known,
// and why.
func (v Value) HasUnknown() (why string, ok bool) {
	for _, a := range v.alts {
		for _, p := range a {
			if p.Kind == Any {
				return p.Text, true
			}
		}
	}
	return "", false
}

// HasGlob reports whether some alternative holds a glob.
func (v Value) HasGlob() bool {
	for _, a := range v.alts {
		for _, p := range a {
			if p.Kind == Glob {
				return true
			}
		}
	}
	return false
}

// Concat is every string of a followed by every string of b.
func Concat(a, b Value) Value {
	x, y := a.Alternatives(), b.Alternatives()
	if len(x)*len(y) > MaxAlternatives {
		return Unknown("too many possible values")
	}
	out := make([][]Piece, 0, len(x)*len(y))
	for _, p := range x {
		for _, q := range y {
			s := make([]Piece, 0, len(p)+len(q))
			s = append(s, p...)
			for _, r := range q {
				if n := len(s); n > 0 && r.Kind == Lit && s[n-1].Kind == Lit {
					s[n-1].Text += r.Text
					continue
				}
				s = append(s, r)
			}
			out = append(out, s)
		}
	}
	return Value{alts: out}
}

// Union is every string of either value.
func Union(a, b Value) Value {
	out := make([][]Piece, 0, 4)
	for _, s := range [][][]Piece{a.Alternatives(), b.Alternatives()} {
		for _, alt := range s {
			if !contains(out, alt) {
				out = append(out, alt)
			}
		}
	}
	if len(out) > MaxAlternatives {
		return Unknown("too many possible values")
	}
	return Value{alts: out}
}

func contains(set [][]Piece, alt []Piece) bool {
next:
	for _, s := range set {
		if len(s) != len(alt) {
			continue
		}
		for i := range s {
			if s[i] != alt[i] {
				continue next
			}
		}
		return true
	}
	return false
}

// String shows the value for people: literal text as it is, globs as written,
// and … for what is not known.
func (v Value) String() string {
	var b strings.Builder
	for i, a := range v.Alternatives() {
		if i > 0 {
			b.WriteByte('|')
		}
		for _, p := range a {
			if p.Kind == Any {
				b.WriteString("…")
				continue
			}
			b.WriteString(p.Text)
		}
	}
	return b.String()
}
