package value

// Concat is every string of a followed by every string of b.
func Concat(a, b Value) Value {
	many := a.many || b.many
	if a.exact() && b.exact() {
		if len(a.text)+len(b.text) > maxText {
			return Value{text: "too much text", any: true, many: many}
		}
		return Value{text: a.text + b.text, many: many}
	}
	if a.exact() && a.text == "" {
		b.many = many
		return b
	}
	if b.exact() && b.text == "" {
		a.many = many
		return a
	}
	x, y := a.Alternatives(), b.Alternatives()
	if len(x)*len(y) > MaxAlternatives {
		return Value{text: "too many possible values", any: true, many: many}
	}
	out := make([][]Piece, 0, len(x)*len(y))
	for _, p := range x {
		for _, q := range y {
			s := joined(p, q)
			if len(s) > maxPieces {
				return Value{text: "too many pieces", any: true, many: many}
			}
			out = append(out, s)
		}
	}
	return Value{alts: out, many: many}
}

func (v Value) exact() bool { return v.alts == nil && !v.any }

// joined is p followed by q, neighbours of literal text made one.
func joined(p, q []Piece) []Piece {
	s := make([]Piece, 0, len(p)+len(q))
	s = append(s, p...)
	for _, r := range q {
		n := len(s)
		if n == 0 || r.Kind != s[n-1].Kind {
			s = append(s, r)
			continue
		}
		switch r.Kind {
		case Lit:
			if len(s[n-1].Text)+len(r.Text) > maxText {
				return []Piece{{Kind: Any, Text: "too much text"}}
			}
			s[n-1].Text += r.Text
		case Any:
			// Unknown text beside unknown text is unknown text, and a list that
			// goes on in the middle of a line is none.
			s[n-1].List = ""
		default:
			s = append(s, r)
		}
	}
	return s
}

// Union is every string of either value.
func Union(a, b Value) Value {
	switch {
	case a.any, b.exact() && a.exact() && a.text == b.text:
		// Any text at all swallows every other alternative.
		a.many = a.many || b.many
		return a
	case b.any:
		b.many = a.many || b.many
		return b
	}
	out := make([][]Piece, 0, 4)
	for _, s := range [][][]Piece{a.Alternatives(), b.Alternatives()} {
		for _, alt := range s {
			if len(alt) == 1 && alt[0].Kind == Any && alt[0].List == "" {
				return Value{text: alt[0].Text, any: true, many: a.many || b.many}
			}
			if !contains(out, alt) {
				out = append(out, alt)
			}
		}
	}
	many := a.many || b.many
	if len(out) > MaxAlternatives {
		return Value{text: "too many possible values", any: true, many: many}
	}
	return Value{alts: out, many: many}
}

// Widen is a value that holds a and b and that a chain of widenings soon stops
// changing at: integers become [Number], everything else unknown text.
func Widen(a, b Value, why string) Value {
	if Equal(a, b) {
		return a
	}
	if a.Integer() && b.Integer() {
		return Number(why)
	}
	return Value{text: why, any: true, many: a.many || b.many}
}

// Equal reports whether a and b are the same set, written the same way.
func Equal(a, b Value) bool {
	if a.many != b.many || a.any != b.any || (a.alts == nil) != (b.alts == nil) {
		return false
	}
	if a.alts == nil {
		return a.any || a.text == b.text
	}
	if len(a.alts) != len(b.alts) {
		return false
	}
	for _, alt := range a.alts {
		if !contains(b.alts, alt) {
			return false
		}
	}
	return true
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

// Map applies f to every possible text. ok is false where the value is not
// exact or one of a few.
func (v Value) Map(f func(string) string) (out Value, ok bool) {
	texts, ok := v.Texts()
	if !ok {
		return Value{}, false
	}
	for i, t := range texts {
		if i == 0 {
			out = Exact(f(t))
			continue
		}
		out = Union(out, Exact(f(t)))
	}
	return out, true
}
