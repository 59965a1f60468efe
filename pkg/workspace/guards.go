package workspace

// guards are the compiled protected patterns. Patterns and paths are folded, so
// that every spelling of a protected name is protected.
type guards struct {
	globs []glob
	// fixed are the built-in entries below a root or the home, unfolded, whose
	// links are looked at: what a protected name leads to is protected too.
	fixed []fixedGuard
	// own are mayi's own folders and files, its folder in any project first.
	own []glob
	// ends are the last components of globs and own.
	ends endings
}

type fixedGuard struct {
	// base is the canonical root or home, path the whole name.
	base, path string
	// text is the entry.
	text string
}

func newGuards(roots []string, home string, own, extra []string) guards {
	var g guards
	here := scope{roots: roots, home: home, fold: fold, loose: true}
	entries := Protected()
	g.globs = make([]glob, 0, 2*len(entries)+len(extra))
	anywhere := here.base("/")
	anywhere = append(anywhere, segment{deep: true})
	bases := make([][]segment, len(roots))
	for i, root := range roots {
		bases[i] = here.base(root)
	}
	var atHome []segment
	if home != "" {
		atHome = here.base(home)
	}
	put := func(e Entry, base []segment) {
		g.globs = append(g.globs, glob{text: e.Pattern, segs: here.extend(base, e.Pattern), exact: e.Exact})
	}
	for _, e := range entries {
		if e.Where == Anywhere {
			put(e, anywhere)
			continue
		}
		if e.Where == AtRoot {
			for i, root := range roots {
				put(e, bases[i])
				g.fixed = append(g.fixed, fixedGuard{root, join(root, e.Pattern), e.Pattern})
			}
		}
		if home != "" {
			put(e, atHome)
			g.fixed = append(g.fixed, fixedGuard{home, join(home, e.Pattern), e.Pattern})
		}
	}
	for _, e := range extra {
		g.globs = append(g.globs, here.compile(e)...)
	}
	g.own = here.compile("**/" + ownFolder)
	for _, o := range own {
		g.own = append(g.own, here.build(o, o, ""))
	}
	g.ends = endingsOf(g.globs, g.own)
	return g
}

// ownFolder is the name of mayi's folder in a project.
const ownFolder = ".mayi"

// covering returns the entry that protects the path with these folded
// components, "" where none does.
func (g *guards) covering(folded []string) string {
	for i := range g.globs {
		if g.globs[i].covers(folded) {
			return g.globs[i].text
		}
	}
	return ""
}

// owning reports whether the path is one of mayi's own or lies in one.
func (g *guards) owning(folded []string) bool {
	for i := range g.own {
		if g.own[i].covers(folded) {
			return true
		}
	}
	return false
}

// naming is covering without what lies below an entry.
func (g *guards) naming(folded []string) string {
	for i := range g.globs {
		if g.globs[i].is(folded) {
			return g.globs[i].text
		}
	}
	return ""
}
