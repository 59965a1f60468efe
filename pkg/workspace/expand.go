package workspace

import "mayi/pkg/permissions"

// expand finds the places that a glob may stand for: itself, as the shell hands
// it on where nothing matches, and every match. Matches inside the workspace are
// joined with the pattern's own place; each outside is a spot of its own.
func (s *survey) expand(e *permissions.Effect, links map[string]string) []spot {
	comps := split(e.Path)
	plain := *e
	plain.Glob = false
	main := s.spot(&plain, literal(comps), links)
	main.path = e.Path
	if index := deepAt(comps); index >= 0 {
		main.place = strictest(main.place, s.deep(e, comps, index, links))
		if e.Follow || e.NoFollow {
			return []spot{main} // links below are judged by name, or not meant
		}
	}
	matches, err := s.glob(comps, links)
	if err != nil {
		return []spot{{e.Path, strictest(main.place, permissions.Place{Err: err.Error(), Partial: true})}}
	}
	out := []spot{main}
	for _, m := range matches {
		var sp spot
		if m.real != "" {
			sp = spot{m.name, s.placeOf(&plain, trail{real: m.real, names: []string{m.name}, kind: m.kind, exists: true})}
		} else {
			sp = s.spot(&plain, m.name, links)
		}
		s.watched(&sp.place, sp.place.Real)
		s.sweptOwn(&sp.place, e.Path)
		if sp.place.Zone == permissions.Outside && main.place.Zone != permissions.Outside {
			out = append(out, sp)
			continue
		}
		out[0].place = strictest(out[0].place, sp.place)
		if main.place.Zone == permissions.Outside {
			// The pattern itself is outside and stands for its matches, unless one
			// of them leads somewhere else by a link.
			out[0].place.Real = main.place.Real
			if m.real == "" {
				out = append(out, sp)
			}
		}
	}
	return out
}

// deepAt is the index of the first "**", -1 where there is none.
func deepAt(comps []string) int {
	for i, c := range comps {
		if c == "**" {
			return i
		}
	}
	return -1
}

// deep looks below the folder before a "**" for what the rest of the pattern
// may match there.
func (s *survey) deep(e *permissions.Effect, comps []string, index int, links map[string]string) permissions.Place {
	base := comps[:index]
	if p := prefix(base); p != literal(base) {
		base = split(p)
	}
	t, err := s.resolver(links).follow(literal(base))
	if err != nil {
		return permissions.Place{Err: err.Error()}
	}
	folder := *e
	folder.Recursive = false
	p := s.placeOf(&folder, t)
	only := deepScope(e, comps, base, t.real)
	s.below(&p, e, t, &only)
	return p
}

// deepScope matches what the pattern comps stands for below real, which is where
// its first components, base, lead.
func deepScope(e *permissions.Effect, comps, base []string, real string) glob {
	only := scope{}.build(e.Path, real, "")
	for _, c := range comps[len(base):] {
		only.segs = append(only.segs, scope{}.build("", "", shellPattern(c)).segs...)
	}
	only.exact = !e.Recursive
	return only
}

// watched lists the path among those that the path rules name.
func (s *survey) watched(p *permissions.Place, real string) {
	if real == "" {
		return
	}
	comps := split(real)
	for i := range s.watch {
		if s.watch[i].covers(comps) {
			p.Below = union(p.Below, []string{real})
			return
		}
	}
}
