package workspace

import (
	"io/fs"
	"path"

	"mayi/pkg/permissions"
)

// below looks at what a recursive effect would touch, without following links,
// and notes what the path rules name and what is protected. only, where it is
// not nil, says which of the entries are meant.
func (s *survey) below(p *permissions.Place, e *permissions.Effect, t trail, only *glob) {
	writes := e.Kind != permissions.Read
	if writes && only == nil {
		s.fixedBelow(p, e, t.real)
	}
	if !t.exists || !t.kind.IsDir() || (!writes && !s.mayMatchBelow(t.real)) {
		return
	}
	type folder struct {
		real   string
		folded []string
		depth  int
	}
	todo := []folder{{t.real, foldPath(t.real), 0}}
	for len(todo) > 0 {
		d := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if s.left <= 0 || d.depth >= s.w.limits.depth {
			p.Partial = true
			continue
		}
		entries, more, err := s.disk.list(d.real, s.left)
		if err != nil {
			// What cannot be listed cannot be ruled out.
			p.Partial = p.Partial || !missing(err)
			continue
		}
		s.left -= len(entries)
		p.Partial = p.Partial || more
		for _, entry := range entries {
			real := join(d.real, entry.Name())
			folded := append(d.folded[:len(d.folded):len(d.folded)], fold(entry.Name()))
			if only == nil || only.covers(split(real)) {
				if writes {
					s.guardBelow(p, e, folded)
				}
				s.watchedBelow(p, real)
			}
			if entry.IsDir() && entry.Type()&fs.ModeSymlink == 0 {
				todo = append(todo, folder{real, folded, d.depth + 1})
			}
		}
	}
}

// guardBelow notes an existing entry that is protected or mayi's own.
func (s *survey) guardBelow(p *permissions.Place, e *permissions.Effect, folded []string) {
	if p.Protected == "" {
		p.Protected = s.w.guards.naming(folded)
	}
	for i := range s.w.guards.own {
		if s.w.guards.own[i].is(folded) {
			s.ownBelow(p, e)
		}
	}
}

// ownBelow: a command that surely touches everything below is refused; of one
// that may touch this or that, a person is asked.
func (s *survey) ownBelow(p *permissions.Place, e *permissions.Effect) {
	if e.Certainty == permissions.Exact {
		p.Own = true
	} else if p.Protected == "" {
		p.Protected = ownFolder
	}
}

// fixedBelow notes what has its place below the path whether or not the look
// gets there: mayi's own folders where they exist, and of a whole workspace or
// home the protected files even where they do not exist yet.
func (s *survey) fixedBelow(p *permissions.Place, e *permissions.Effect, real string) {
	for _, o := range s.w.own {
		if inside(o, real) {
			if _, err := s.disk.kind(o); err == nil {
				s.ownBelow(p, e)
			}
		}
	}
	if p.Protected != "" {
		return
	}
	for _, f := range s.w.guards.fixed {
		if inside(f.path, real) {
			p.Protected = f.text
			return
		}
	}
}

// watchedBelow lists an entry that a path rule names.
func (s *survey) watchedBelow(p *permissions.Place, real string) {
	if len(s.watch) == 0 {
		return
	}
	comps := split(real)
	for i := range s.watch {
		if s.watch[i].is(comps) {
			p.Below = append(p.Below, real)
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
