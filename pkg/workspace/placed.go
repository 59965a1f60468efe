package workspace

import "strings"

// placed is a built-in pattern that is kept relative to the place where it
// holds. There are many of them and a process may decide one call, so none is
// written out for each root.
type placed struct {
	// text is the entry as it was written.
	text  string
	where Where
	segs  []segment
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
}

// view is a path as it is seen from each of these places.
type view struct {
	all []string
	// rooted is what follows the roots that the path lies in, homed what follows
	// the home where it is atHome.
	rooted [][]string
	homed  []string
	atHome bool
}

// see returns how the path with these components is seen.
func (b *bases) see(comps []string) view {
	v := view{all: comps}
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
func (p *placed) matches(v *view, below bool) bool {
	below = below && !p.exact
	switch p.where {
	case Anywhere:
		for i := range v.all {
			if match(p.segs, v.all[i:], below) {
				return true
			}
		}
		return false
	case atTop:
		return match(p.segs, v.all, below)
	case AtRoot:
		for _, rest := range v.rooted {
			if match(p.segs, rest, below) {
				return true
			}
		}
	}
	return v.atHome && match(p.segs, v.homed, below)
}

// place reads a gitignore-style pattern ("/…", "~/…", "**/…", or without a
// slash at any depth) for a list that guards something: where it is not known
// what it is relative to, it holds everywhere.
func (b *bases) place(text string, slab *[]segment) placed {
	p := placed{text: text, where: Anywhere}
	rest := strings.TrimRight(text, "/")
	switch {
	case strings.HasPrefix(rest, "~/"):
		rest = rest[2:]
		if b.home != nil {
			p.where = AtHome
		}
	case strings.HasPrefix(rest, "/"):
		p.where = atTop
	default:
		rest = strings.TrimPrefix(rest, "**/")
	}
	p.segs = scope{}.onto(slab, rest)
	return p
}
