package workspace

import (
	"path"
	"sync"
)

// guards are the protected patterns. Patterns and paths are folded, so that
// every spelling of a protected name is protected.
type guards struct {
	bases bases
	// rows are the built-in entries.
	rows []Entry
	// extra are the settings' own patterns.
	extra []glob
	// own are mayi's own folders and files, its folder in any project first.
	own []glob
	// roots and home are the canonical places of the built-in entries, unfolded.
	roots []string
	home  string

	endsOnce sync.Once
	ends     endings
}

// fixedGuard is a protected name: a built-in entry below a root or the home, or
// what one leads to.
type fixedGuard struct {
	path string
	// text is the entry.
	text string
}

func newGuards(roots []string, home string, own, extra []string) *guards {
	g := &guards{roots: roots, home: home, rows: Protected(), bases: bases{folded: true}}
	here := scope{roots: roots, home: home, fold: fold, loose: true}
	for _, root := range roots {
		g.bases.roots = append(g.bases.roots, foldPath(root))
	}
	if home != "" {
		g.bases.home = foldPath(home)
	}
	for _, e := range extra {
		g.extra = append(g.extra, here.compile(e)...)
	}
	g.own = here.compile("**/" + ownFolder)
	for _, o := range own {
		g.own = append(g.own, here.build(o, o, ""))
	}
	return g
}

// endings are the last components of all patterns.
func (g *guards) endings() *endings {
	g.endsOnce.Do(func() {
		all := append(append([]glob(nil), g.extra...), g.own...)
		for i := range g.rows {
			last := path.Base(g.rows[i].Pattern)
			all = append(all, glob{segs: []segment{{text: fold(last)}}})
		}
		g.ends = endingsOf(all)
	})
	return &g.ends
}

// ownFolder is the name of mayi's folder in a project.
const ownFolder = ".mayi"

// covering returns the entry that protects the path with these folded
// components, "" where none does.
func (g *guards) covering(folded []string) string {
	if text := g.row(folded, true); text != "" {
		return text
	}
	for i := range g.extra {
		if g.extra[i].covers(folded) {
			return g.extra[i].text
		}
	}
	return ""
}

// row is the first built-in entry that matches.
func (g *guards) row(folded []string, below bool) string {
	v := g.bases.see(folded)
	for i := range g.rows {
		if e := &g.rows[i]; v.matches(placed{e.Pattern, e.Where, e.Exact}, below) {
			return e.Pattern
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
	if text := g.row(folded, false); text != "" {
		return text
	}
	for i := range g.extra {
		if g.extra[i].is(folded) {
			return g.extra[i].text
		}
	}
	return ""
}

// fixed calls f for every built-in entry that has its place below a root or the
// home, with that place, until f returns false.
func (g *guards) fixed(f func(base string, row *Entry) bool) {
	for i := range g.rows {
		row := &g.rows[i]
		if row.Where == AtRoot {
			for _, root := range g.roots {
				if !f(root, row) {
					return
				}
			}
		}
		if row.Where != Anywhere && g.home != "" && !f(g.home, row) {
			return
		}
	}
}
