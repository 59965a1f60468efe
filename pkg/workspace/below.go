package workspace

import (
	"io/fs"
	"path"
	"strings"

	"mayi/pkg/permissions"
)

// below looks at what a recursive effect would touch, without following links,
// and notes what the path rules name and what is protected. only, where it is
// not nil, says which of the entries are meant.
func (s *survey) below(p *permissions.Place, e *permissions.Effect, t trail, only *glob) {
	writes := e.Kind != permissions.Read
	if writes && only == nil {
		s.ownedBelow(p, e, t.real)
		if e.Sweep == permissions.NoSweep {
			s.fixedBelow(p, t.real)
		}
	}
	if !t.exists || !t.kind.IsDir() || (!writes && !s.mayMatchBelow(t.real)) {
		return
	}
	defer func() {
		if writes && p.Partial && p.Protected == "" {
			p.Protected = "more than could be looked at"
		}
	}()
	type folder struct {
		comps, folded []string
		depth         int
	}
	ends := s.w.guards.endings()
	comps := split(t.real)
	todo := []folder{{comps, foldPath(t.real), 0}}
	for len(todo) > 0 {
		d := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if s.left <= 0 || d.depth >= s.w.limits.depth {
			p.Partial = true
			continue
		}
		entries, more, err := s.disk.list("/"+strings.Join(d.comps, "/"), s.left)
		if err != nil {
			// What cannot be listed cannot be ruled out.
			p.Partial = p.Partial || !missing(err)
			continue
		}
		s.left -= len(entries)
		p.Partial = p.Partial || more
		for _, entry := range entries {
			name, folded := entry.Name(), fold(entry.Name())
			folder := folder{depth: d.depth + 1}
			if spares(e.Sweep, d.depth, folded) {
				continue
			}
			isDir := entry.IsDir() && entry.Type()&fs.ModeSymlink == 0
			guarded := writes && ends.may(folded)
			watched := len(s.watch) > 0 && s.ends.may(name)
			if isDir || guarded || watched {
				folder.comps = with(d.comps, name)
				folder.folded = with(d.folded, folded)
			}
			if (guarded || watched) && (only == nil || only.covers(folder.comps)) {
				if guarded {
					s.guardBelow(p, e, folder.comps, folder.folded)
				}
				if watched {
					s.watchedBelow(p, folder.comps)
				}
			}
			if isDir {
				todo = append(todo, folder)
			}
		}
	}
}

// with is a path one component longer.
func with(dir []string, name string) []string {
	return append(dir[:len(dir):len(dir)], name)
}

// guardBelow notes an existing entry that is protected or mayi's own.
func (s *survey) guardBelow(p *permissions.Place, e *permissions.Effect, comps, folded []string) {
	switch text := s.w.guards.naming(folded); {
	case text == "":
	case e.Sweep != permissions.NoSweep:
		s.swept = append(s.swept, fixedGuard{path: "/" + strings.Join(comps, "/"), text: text})
	case p.Protected == "":
		p.Protected = text
	}
	for i := range s.w.guards.own {
		if s.w.guards.own[i].is(folded) {
			s.ownBelow(p, e, "/"+strings.Join(comps, "/"))
		}
	}
}

// ownBelow: a command that surely touches everything below is refused; of one
// that may touch this or that, a person is asked.
func (s *survey) ownBelow(p *permissions.Place, e *permissions.Effect, own string) {
	switch {
	case e.Certainty == permissions.Exact:
		p.Own = true
	case e.Sweep != permissions.NoSweep:
		s.swept = append(s.swept, fixedGuard{path: own, text: ownFolder})
	case p.Protected == "":
		p.Protected = ownFolder
	}
}

// ownedBelow notes mayi's own folders, whether or not the look gets there.
func (s *survey) ownedBelow(p *permissions.Place, e *permissions.Effect, real string) {
	for _, o := range s.w.own {
		if inside(o, real) && !spares(e.Sweep, 0, fold(path.Base(o))) {
			if _, err := s.disk.kind(o); err == nil {
				s.ownBelow(p, e, o)
			}
		}
	}
}

// fixedBelow notes the protected files of a whole workspace or home, which have
// their place there even where they do not exist yet.
func (s *survey) fixedBelow(p *permissions.Place, real string) {
	if p.Protected != "" {
		return
	}
	s.w.guards.fixed(func(base string, row *Entry) bool {
		if (inside(base, real) || inside(real, base)) && inside(join(base, row.Pattern), real) {
			p.Protected = row.Pattern
		}
		return p.Protected == ""
	})
}

// watchedBelow lists an entry that a path rule names.
func (s *survey) watchedBelow(p *permissions.Place, comps []string) {
	for i := range s.watch {
		if s.watch[i].is(comps) {
			p.Below = append(p.Below, "/"+strings.Join(comps, "/"))
			return
		}
	}
}

// mayMatchBelow reports whether some watched pattern could match below dir.
func (s *survey) mayMatchBelow(dir string) bool {
	comps := split(path.Clean(dir))
	for i := range s.watch {
		segs := s.watch[i].segs
		n := 0
		for n < len(segs) && n < len(comps) && !segs[n].deep && segs[n].matches(comps[n]) {
			n++
		}
		if n == len(comps) || n == len(segs) || segs[n].deep {
			return true
		}
	}
	return false
}
