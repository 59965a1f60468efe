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
	// Num is a decimal integer that is not known: a counter, a length. Text is
	// the reason.
	Num
	// Home is the home directory of a user who is not the one that runs the
	// command; Text is the tilde form ("~dev"). It stands first and is absolute.
	Home
)

// Piece is one stretch of a value.
type Piece struct {
	Kind PieceKind
	// Text is the literal text or the glob pattern; for Any the reason it is not known.
	Text string
	// List says more where the text has to do with a listing: of Any, that it is
	// a list of names (see [Listing]); of a Glob, that it is a part of the name
	// of what mktemp made (see [Scratch]). "" where nothing more is known, so
	// that whoever does not look at it is right, too.
	List string
}

// Value is a set of strings. The zero Value is the exact empty string.
type Value struct {
	// text is the string where alts is nil: the common exact value costs no
	// allocation. With any set it is the reason why the text is not known.
	text string
	any  bool
	// alts are the alternatives, each a sequence of pieces.
	alts [][]Piece
	// many: see [Value.Many].
	many bool
}

// Bounds on what one value keeps; whatever is larger becomes Any.
const (
	// MaxAlternatives bounds how many alternatives a value keeps.
	MaxAlternatives = 32
	// maxPieces bounds how many pieces one alternative keeps.
	maxPieces = 32
	// maxText bounds, in bytes, the text of one piece that grew by joining.
	maxText = 1 << 16
)

// Exact is the value with exactly this text.
func Exact(s string) Value { return Value{text: s} }

// Unknown is any text; why says what hid it.
func Unknown(why string) Value { return Value{text: why, any: true} }

// Number is any decimal integer; why says what hid which.
func Number(why string) Value { return of(Piece{Kind: Num, Text: why}) }

// Pattern is a glob that the shell expands to file names.
func Pattern(p string) Value { return of(Piece{Kind: Glob, Text: p}) }

// HomeOf is the home directory of another user, as the tilde form "~name".
func HomeOf(tilde string) Value { return of(Piece{Kind: Home, Text: tilde}) }

func of(p Piece) Value { return Value{alts: [][]Piece{{p}}} }

// OneOf is one of these texts, at least one.
func OneOf(texts ...string) Value {
	v := Exact(texts[0])
	for _, t := range texts[1:] {
		v = Union(v, Exact(t))
	}
	return v
}

// WithMany returns v marked as standing for any number of words, none
// included: an unquoted expansion whose text is not known.
func (v Value) WithMany() Value {
	v.many = true
	return v
}

// Unmarked returns v without the mark of [Value.WithMany]: for text that is
// not split after all.
func (v Value) Unmarked() Value {
	v.many = false
	return v
}

// Single is one word out of those that v may be. Where it may be several,
// text around what is not known may stand in another one of them.
func (v Value) Single() Value {
	if v.many && v.has(Any) {
		why, _ := v.HasUnknown()
		return Unknown(why)
	}
	return v.Unmarked()
}

// Many reports whether the value, used as a word, may be any number of words.
// Whoever reads the words after it cannot rely on their number, and any of
// them may be an option.
func (v Value) Many() bool { return v.many }

// Alternatives returns the alternatives, at least one. The caller must not
// change them.
func (v Value) Alternatives() [][]Piece {
	if v.alts != nil {
		return v.alts
	}
	switch {
	case v.any:
		return [][]Piece{{{Kind: Any, Text: v.text}}}
	case v.text == "":
		return [][]Piece{nil}
	}
	return [][]Piece{{{Kind: Lit, Text: v.text}}}
}

// Text returns the string and true where the value is exact. A value that may
// be several words has no one text.
func (v Value) Text() (string, bool) {
	if v.many || v.any {
		return "", false
	}
	if v.alts == nil {
		return v.text, true
	}
	if len(v.alts) != 1 {
		return "", false
	}
	return flat(v.alts[0])
}

// Texts returns every possible string and true where the value is exact or one
// of a few.
func (v Value) Texts() ([]string, bool) {
	if v.many || v.any {
		return nil, false
	}
	if v.alts == nil {
		return []string{v.text}, true
	}
	out := make([]string, 0, len(v.alts))
	for _, a := range v.alts {
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
	if v.any {
		return ""
	}
	if v.alts == nil {
		return v.text
	}
	best, first := "", true
	for _, a := range v.alts {
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
	if v.any {
		return v.text, true
	}
	for _, a := range v.alts {
		for _, p := range a {
			if p.Kind == Any || p.Kind == Num || p.Kind == Home {
				return p.Text, true
			}
		}
	}
	return "", v.many
}

// HasGlob reports whether some alternative holds a glob.
func (v Value) HasGlob() bool { return v.has(Glob) }

// Integer reports whether every possible string is a decimal integer.
func (v Value) Integer() bool {
	if v.any {
		return false
	}
	if v.alts == nil {
		return digits(v.text) && !v.many
	}
	for _, a := range v.Alternatives() {
		if len(a) != 1 {
			return false
		}
		if a[0].Kind != Num && (a[0].Kind != Lit || !digits(a[0].Text)) {
			return false
		}
	}
	return !v.many
}

func digits(s string) bool {
	s = strings.TrimPrefix(s, "-")
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

func (v Value) has(k PieceKind) bool {
	if v.any {
		return k == Any
	}
	for _, a := range v.alts {
		for _, p := range a {
			if p.Kind == k {
				return true
			}
		}
	}
	return false
}

// String shows the value for people: literal text as it is, globs as written,
// and … for what is not known.
func (v Value) String() string {
	if v.any {
		return "…"
	}
	if v.alts == nil {
		return v.text
	}
	var b strings.Builder
	for i, a := range v.alts {
		if i > 0 {
			b.WriteByte('|')
		}
		for _, p := range a {
			if p.Kind == Any || p.Kind == Num {
				b.WriteString("…")
				continue
			}
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// Of is the value that one piece stands for.
func Of(p Piece) Value {
	switch p.Kind {
	case Lit:
		return Exact(p.Text)
	case Any:
		if p.List == "" {
			return Unknown(p.Text)
		}
	}
	return of(p)
}
