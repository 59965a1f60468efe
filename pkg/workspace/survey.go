package workspace

import (
	"path"
	"strings"

	"mayi/pkg/permissions"
)

// survey is the work of one Resolve.
type survey struct {
	w *Workspace
	// disk remembers what it has seen, so that one call is judged by one look.
	disk  disk
	watch []glob
	ends  endings
	// first and last are the links that the call has made so far; where a name
	// was linked twice, either may be what is there in the end.
	first, last map[string]string
	twice       bool
	// leads are the places that protected links lead to, read at first need.
	leads     []fixedGuard
	linksRead bool
	// swept are the protected files that the sweeps of one effect came upon.
	swept []fixedGuard
	// left is how many directory entries may still be looked at.
	left int
}

// Resolve fills in [permissions.Place] for every effect that has a path, in
// order, and returns the effects. An effect that may lead to several places
// outside the workspace is followed by one more effect for each of them, so
// that every one is decided. A link that an earlier effect makes counts for the
// later ones, in the strictest of the readings with and without it. watch are
// the globs of the path rules; what recursive effects and globs touch among
// them is listed in Place.Below. The caller's slice is left alone.
func (w *Workspace) Resolve(effects []permissions.Effect, watch []string) []permissions.Effect {
	s := &survey{w: w, disk: &memo{disk: w.disk, seen: map[string]look{}}, left: w.limits.entries}
	sc := scope{roots: w.roots, home: w.home, loose: true}
	for _, g := range watch {
		s.watch = append(s.watch, sc.compile(g)...)
	}
	s.ends = endingsOf(s.watch)
	out := make([]permissions.Effect, 0, len(effects))
	for _, e := range effects {
		if e.Path == "" && !needsPath(e) {
			e.Place = permissions.Place{}
			out = append(out, e)
			continue
		}
		if e.Path == "" {
			e.Place = permissions.Place{Err: "which path is meant is not known"}
			out = append(out, e)
			continue
		}
		out = s.resolve(out, e)
		if e.LinkTo != "" {
			s.link(&e)
		}
	}
	return out
}

// resolver follows paths in one reading of the links that the call makes.
func (s *survey) resolver(links map[string]string) *resolver {
	return &resolver{disk: s.disk, cwd: s.w.cwd, links: links}
}

// needsPath reports whether an effect of this kind without a path means some
// path that nobody knows.
func needsPath(e permissions.Effect) bool {
	return e.Kind == permissions.Read || e.Kind == permissions.FSWrite
}

// resolve appends e with its place, and one effect more for each further place
// outside.
func (s *survey) resolve(out []permissions.Effect, e permissions.Effect) []permissions.Effect {
	s.swept = nil
	spots := s.look(&e, nil)
	if len(s.last) > 0 {
		spots = append(spots, s.look(&e, s.last)...)
	}
	if s.twice {
		spots = append(spots, s.look(&e, s.first)...)
	}
	main := spots[0].place
	for _, p := range spots[1:] {
		main = strictest(main, p.place)
	}
	apart := s.apart(&main)
	e.Place = main
	out = append(out, e)
	for _, g := range apart {
		held := e
		held.Path, held.Sweep = g.path, permissions.NoSweep
		held.Place.Real, held.Place.Protected, held.Place.Below, held.Place.Own = g.path, g.text, nil, false
		out = append(out, held)
	}
	seen := map[string]bool{main.Real: true}
	for _, p := range spots {
		if p.place.Zone != permissions.Outside || seen[p.place.Real] {
			continue
		}
		seen[p.place.Real] = true
		more := e
		more.Path, more.Place, more.Glob, more.LinkTo = p.path, p.place, false, ""
		if more.Certainty == permissions.Exact {
			more.Certainty = permissions.Bounded
		}
		if len(seen) > s.w.limits.spread {
			more.Path = e.Path
			more.Place = permissions.Place{Err: "this leads to too many places outside the workspace"}
			return append(out, more)
		}
		out = append(out, more)
	}
	return out
}

// link remembers that the effect makes a symbolic link: at the path itself, or
// in it where it is a folder.
func (s *survey) link(e *permissions.Effect) {
	dir, base := path.Split(path.Clean(e.Path))
	parent, parentErr := s.resolver(s.last).follow(dir)
	itself, err := s.resolver(s.last).follow(e.Path)
	folder := err == nil && itself.exists && itself.kind.IsDir()
	if parentErr == nil && base != "" {
		// A folder is never replaced by a link; a link to one may be.
		if name := join(parent.real, base); !folder || itself.real != name {
			s.record(name, e.LinkTo)
		}
	}
	if folder {
		if name := path.Base(strings.TrimRight(e.LinkTo, "/")); name != "." && name != ".." && name != "/" {
			s.record(join(itself.real, name), e.LinkTo)
		}
	}
}

// record keeps a link by its canonical name. One that leads to itself opens
// nothing and only hides what is there.
func (s *survey) record(name, target string) {
	if target == name || path.Join(path.Dir(name), target) == name {
		return
	}
	if s.last == nil {
		s.first, s.last = map[string]string{}, map[string]string{}
	}
	if old, ok := s.first[name]; !ok {
		s.first[name] = target
	} else if old != target {
		s.twice = true
	}
	s.last[name] = target
}
