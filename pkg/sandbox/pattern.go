package sandbox

import (
	"path"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Pattern names files by a glob. A glob that begins with a slash is absolute;
// any other matches at every depth. "**" stands for any number of components,
// "*" and "?" for characters of one. What lies below a match is meant too,
// unless Exact. Names are compared without regard to letter case, look-alike
// forms and invisible characters, because the programs that read the files are
// not all strict about them.
type Pattern struct {
	Glob  string `json:"glob"`
	Exact bool   `json:"exact,omitempty"`
	// Firm: no answer of a person opens it while a job runs.
	Firm bool `json:"firm,omitempty"`
	// Why says in a few words what the file can do.
	Why string `json:"why,omitempty"`
}

// names is a compiled list of patterns.
type names struct{ list []compiled }

type compiled struct {
	Pattern
	segs []component
}

// component is one name of a path or of a glob, as it is given and in the form
// under which names are compared. Either form is enough to match: folding makes
// one name of many, but it also changes how long a name is, and a glob counts.
type component struct{ given, folded string }

func componentsOf(p string) []component {
	parts := splitPath(p)
	out := make([]component, len(parts))
	for i, c := range parts {
		out[i] = component{c, foldName(c)}
	}
	return out
}

func compile(ps []Pattern) names {
	out := make([]compiled, 0, len(ps))
	for _, p := range ps {
		segs := componentsOf(p.Glob)
		if !strings.HasPrefix(p.Glob, "/") && (len(segs) == 0 || segs[0].given != "**") {
			segs = append([]component{{"**", "**"}}, segs...)
		}
		out = append(out, compiled{Pattern: p, segs: segs})
	}
	return names{out}
}

// hit is how a pattern meets a path.
type hit uint8

const (
	miss hit = iota
	// above: the path is a folder on the way to names that the pattern means.
	above
	// covered: the path is one of them.
	covered
)

// match gives the strongest hit of the list for an absolute path.
func (n names) match(p string) (hit, *Pattern) {
	if len(n.list) == 0 {
		return miss, nil
	}
	comps := componentsOf(p)
	best, by := miss, (*Pattern)(nil)
	for i := range n.list {
		c := &n.list[i]
		if h := meet(c.segs, comps, c.Exact); h > best {
			if best, by = h, &c.Pattern; best == covered {
				break
			}
		}
	}
	return best, by
}

// meet compares component by component. A path that ends before a literal
// component of the pattern does is above it; a leading "**" alone puts nothing
// above, or every folder would be.
func meet(segs, comps []component, exact bool) hit {
	switch {
	case len(segs) == 0:
		if len(comps) == 0 || !exact {
			return covered
		}
		return miss
	case len(comps) == 0:
		if len(segs) == 1 && segs[0].given == "**" {
			return covered
		}
		return above
	case segs[0].given == "**":
		best := miss
		for i := 0; i < len(comps) && best != covered; i++ {
			if h := meet(segs[1:], comps[i:], exact); h > best {
				best = h
			}
		}
		return best
	}
	if !fits(segs[0].folded, comps[0].folded) && !fits(segs[0].given, comps[0].given) {
		return miss
	}
	return meet(segs[1:], comps[1:], exact)
}

// fits compares one component. A malformed glob matches itself only.
func fits(glob, name string) bool {
	if glob == name {
		return true
	}
	if !strings.ContainsAny(glob, "*?[\\") {
		return false
	}
	ok, err := path.Match(glob, name)
	return ok && err == nil
}

func splitPath(p string) []string {
	return strings.FieldsFunc(p, func(r rune) bool { return r == '/' })
}

// foldName gives the form under which names are compared.
func foldName(s string) string {
	plain := true
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= 0x80 || 'A' <= c && c <= 'Z' {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	s = strings.ReplaceAll(norm.NFKC.String(s), "/", "_") // a name has no slash
	return strings.Map(func(r rune) rune {
		if r == 'ı' || r == 'İ' {
			return 'i'
		}
		if r == 'ſ' {
			return 's'
		}
		if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) || r == 0x034f || r == 0x115f || r == 0x1160 || r == 0x3164 {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}
