package workspace

import (
	"path"
	"strings"
)

// placed is a built-in pattern, relative to the place where it holds. There are
// many of them and a process may decide one call, so none is compiled, let alone
// written out for each root.
type placed struct {
	pattern string
	where   Where
	// exact: only the path itself is meant, not what lies below it.
	exact bool
}

// atTop: the pattern begins in the root of the file system.
const atTop Where = 0xff

// bases are the components of the places that patterns are relative to; home
// is nil where it is not known.
type bases struct {
	roots [][]string
	home  []string
	// folded: the paths that are looked at are folded, so that the letter case of
	// patterns counts for nothing.
	folded bool
}

// view is a path as it is seen from each of these places.
type view struct {
	all []string
	// rooted is what follows the roots that the path lies in, homed what follows
	// the home where it is atHome.
	rooted [][]string
	homed  []string
	atHome bool
	folded bool
}

// see returns how the path with these components is seen.
func (b *bases) see(comps []string) view {
	v := view{all: comps, folded: b.folded}
	for _, root := range b.roots {
		if rest, ok := after(comps, root); ok {
			v.rooted = append(v.rooted, rest)
		}
	}
	if b.home != nil {
		v.homed, v.atHome = after(comps, b.home)
	}
	return v
}

// after is what follows the components of base in comps.
func after(comps, base []string) ([]string, bool) {
	if len(comps) < len(base) {
		return nil, false
	}
	for i, c := range base {
		if comps[i] != c {
			return nil, false
		}
	}
	return comps[len(base):], true
}

// matches reports whether the pattern matches the path or, where below is set
// and it is not exact, a directory that the path lies in.
func (v *view) matches(p placed, below bool) bool {
	below = below && !p.exact
	switch p.where {
	case Anywhere:
		for i := range v.all {
			if v.match(p.pattern, v.all[i:], below) {
				return true
			}
		}
		return false
	case atTop:
		return v.match(p.pattern, v.all, below)
	case AtRoot:
		for _, rest := range v.rooted {
			if v.match(p.pattern, rest, below) {
				return true
			}
		}
	}
	return v.atHome && v.match(p.pattern, v.homed, below)
}

// match is the function of that name for a pattern that is not compiled.
func (v *view) match(pattern string, comps []string, below bool) bool {
	for {
		c, rest := next(pattern)
		switch {
		case c == "":
			return below || len(comps) == 0
		case c == "**":
			for i := 0; i <= len(comps); i++ {
				if v.match(rest, comps[i:], below) {
					return true
				}
			}
			return false
		case len(comps) == 0 || !v.same(c, comps[0]):
			return false
		}
		pattern, comps = rest, comps[1:]
	}
}

// same reports whether one component matches.
func (v *view) same(pattern, name string) bool {
	if strings.IndexByte(pattern, '*') >= 0 {
		ok, err := path.Match(pattern, name)
		return ok && err == nil
	}
	return pattern == name || v.folded && len(pattern) == len(name) && strings.EqualFold(pattern, name)
}

// place finds the place of a pattern ("/…", "~/…", "**/…") in a list that guards
// something: without a home, what begins there holds everywhere.
func (b *bases) place(pattern string) placed {
	switch {
	case strings.HasPrefix(pattern, "~/") && b.home != nil:
		return placed{pattern: pattern[2:], where: AtHome}
	case strings.HasPrefix(pattern, "~/"):
		return placed{pattern: pattern[2:], where: Anywhere}
	case strings.HasPrefix(pattern, "/"):
		return placed{pattern: pattern, where: atTop}
	}
	return placed{pattern: strings.TrimPrefix(pattern, "**/"), where: Anywhere}
}
