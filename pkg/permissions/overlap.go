package permissions

import "strings"

// overlaps reports whether a path that the shell may expand glob to could be
// matched by the pattern. It errs on the side of yes and costs at most
// len(p)*len(glob) steps.
func (p pattern) overlaps(glob []string) bool {
	seen := make(map[[2]int]bool)
	var meet func(i, j int) bool
	meet = func(i, j int) bool {
		switch {
		case i == len(p):
			return true
		case seen[[2]int{i, j}]:
			return false
		}
		seen[[2]int{i, j}] = true
		switch {
		case p[i] == anyDepth:
			return i+1 == len(p) || meet(i+1, j) || j < len(glob) && meet(i, j+1)
		case j == len(glob):
			return false
		case glob[j] == anyDepth:
			return true
		}
		return componentsOverlap(p[i], glob[j]) && meet(i+1, j+1)
	}
	return meet(0, 0)
}

// componentsOverlap reports whether some name matches both the rule's pattern
// and the shell's glob. The shell's wildcards do not match a leading dot.
func componentsOverlap(rule, shell string) bool {
	if strings.ContainsAny(shell, "(|") {
		return true // an extended glob: not worth reading
	}
	a, b := globTokens(rule), globTokens(shell)
	if len(b) > 0 && b[0].kind != oneRune && len(a) > 0 && a[0].kind == oneRune && a[0].r == '.' {
		return false
	}
	seen := make(map[[2]int]bool)
	var meet func(i, j int) bool
	meet = func(i, j int) bool {
		if i == len(a) && j == len(b) {
			return true
		}
		if seen[[2]int{i, j}] {
			return false
		}
		seen[[2]int{i, j}] = true
		if i < len(a) && a[i].kind == anyRunes {
			return meet(i+1, j) || j < len(b) && meet(i, j+1)
		}
		if j < len(b) && b[j].kind == anyRunes {
			return meet(i, j+1) || i < len(a) && meet(i+1, j)
		}
		if i == len(a) || j == len(b) {
			return false
		}
		if a[i].kind == oneRune && b[j].kind == oneRune && a[i].r != b[j].r {
			return false
		}
		return meet(i+1, j+1)
	}
	return meet(0, 0)
}

type tokenKind uint8

const (
	oneRune  tokenKind = iota // this rune
	someRune                  // ? or a bracket
	anyRunes                  // *
)

type globToken struct {
	kind tokenKind
	r    rune
}

func globTokens(glob string) []globToken {
	rs := []rune(glob)
	out := make([]globToken, 0, len(rs))
	for i := 0; i < len(rs); i++ {
		switch r := rs[i]; {
		case r == '*':
			out = append(out, globToken{kind: anyRunes})
		case r == '?':
			out = append(out, globToken{kind: someRune})
		case r == '[':
			end := bracketEnd(rs, i)
			if end < 0 {
				out = append(out, globToken{r: r})
				continue
			}
			out = append(out, globToken{kind: someRune})
			i = end
		case r == '\\' && i+1 < len(rs):
			i++
			out = append(out, globToken{r: rs[i]})
		default:
			out = append(out, globToken{r: r})
		}
	}
	return out
}

// bracketEnd returns the index of the bracket that closes the one at i, or -1.
func bracketEnd(rs []rune, i int) int {
	j := i + 1
	if j < len(rs) && (rs[j] == '!' || rs[j] == '^') {
		j++
	}
	if j < len(rs) && rs[j] == ']' {
		j++
	}
	for ; j < len(rs); j++ {
		if rs[j] == ']' {
			return j
		}
	}
	return -1
}

// hasMeta reports whether the component holds something that a pattern matches
// differently from itself.
func hasMeta(c string) bool { return strings.ContainsAny(c, `*?[\`) }
