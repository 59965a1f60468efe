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
}

type fixedGuard struct{ path, text string }

func newGuards(roots []string, home string, own, extra []string) guards {
	var g guards
	here := scope{roots: roots, home: home, fold: fold, loose: true}
	both := here
	if home != "" {
		both.roots = append(append([]string(nil), roots...), home)
	}
	for _, e := range Protected() {
		var globs []glob
		switch e.Where {
		case Anywhere:
			globs = here.compile("**/" + e.Pattern)
		case AtRoot:
			for _, base := range both.roots {
				globs = append(globs, here.build(e.Pattern, base, e.Pattern))
				g.fixed = append(g.fixed, fixedGuard{join(base, e.Pattern), e.Pattern})
			}
		case AtHome:
			if home == "" {
				continue
			}
			globs = append(globs, here.build(e.Pattern, home, e.Pattern))
			g.fixed = append(g.fixed, fixedGuard{join(home, e.Pattern), e.Pattern})
		}
		for i := range globs {
			globs[i].exact, globs[i].text = e.Exact, e.Pattern
		}
		g.globs = append(g.globs, globs...)
	}
	for _, e := range extra {
		g.globs = append(g.globs, here.compile(e)...)
	}
	g.own = here.compile("**/" + ownFolder)
	for _, o := range own {
		g.own = append(g.own, here.build(o, o, ""))
	}
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
