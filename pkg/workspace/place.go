package workspace

import (
	"path"

	"mayi/pkg/permissions"
)

// spot is one place that an effect may lead to.
type spot struct {
	// path is the name that leads there.
	path  string
	place permissions.Place
}

// look finds the places of one effect in one reading of the links.
func (s *survey) look(e *permissions.Effect, links map[string]string) []spot {
	if e.Scratch {
		return []spot{s.scratch(e)}
	}
	if e.Sweep != permissions.NoSweep {
		return []spot{s.sweep(e, links)}
	}
	if e.Glob {
		return s.withLinks(e, s.expand(e, links), links)
	}
	return s.withLinks(e, []spot{s.spot(e, e.Path, links)}, links)
}

// spot works out where one name leads.
func (s *survey) spot(e *permissions.Effect, name string, links map[string]string) spot {
	if e.NoFollow {
		if t, ok := s.itself(name, links); ok {
			t.names = append(t.names, path.Clean(name))
			return spot{name, s.placeOf(e, t)}
		}
	}
	r := s.resolver(links)
	t, err := r.follow(name)
	if err != nil {
		// Where it leads is not known, but what it is called still is.
		p := permissions.Place{Err: err.Error()}
		s.guard(&p, e, trail{names: append(t.names, path.Clean("/"+name))})
		s.secret(&p, e, trail{names: append(t.names, path.Clean("/"+name))})
		return spot{name, p}
	}
	t.names = append(t.names, path.Clean(name))
	return spot{name, s.placeOf(e, t)}
}

// placeOf judges a resolved path.
func (s *survey) placeOf(e *permissions.Effect, t trail) permissions.Place {
	p := permissions.Place{Real: t.real}
	if t.magic {
		p.Err = "only the process that opens it knows where this leads"
		s.guard(&p, e, t)
		s.secret(&p, e, t)
		return p
	}
	if p.Zone = s.w.zone(t.real); p.Zone == permissions.Device {
		return p
	}
	p.Writable = s.w.write.cover(t.real)
	p.Readable = p.Writable || s.w.read.cover(t.real)
	s.guard(&p, e, t)
	s.secret(&p, e, t)
	if e.Recursive {
		s.below(&p, e, t, nil)
	}
	return p
}

// guard fills in what protects the path under any of its names.
func (s *survey) guard(p *permissions.Place, e *permissions.Effect, t trail) {
	g := s.w.guards
	for i := -1; i < len(t.names); i++ {
		name := t.real
		if i >= 0 {
			if name = t.names[i]; name == t.real {
				continue
			}
		}
		if name == "" {
			continue
		}
		folded := foldPath(name)
		if p.Protected == "" {
			p.Protected = g.covering(folded)
		}
		p.Own = p.Own || g.owning(folded)
	}
	if p.Protected != "" || e.Kind == permissions.Read || t.real == "" {
		return
	}
	if p.Protected = s.linked(t.real); p.Protected == "" {
		p.Protected = s.repository(t.real)
	}
}

// strictest joins two judgements of what may be the same path: what either
// says against it holds.
func strictest(a, b permissions.Place) permissions.Place {
	if b.Zone < a.Zone || (b.Zone == a.Zone && a.Writable && !b.Writable) || (b.Zone == a.Zone && a.Readable && !b.Readable) {
		a, b = b, a
	}
	if b.Zone == permissions.Outside {
		a.Readable = a.Readable && b.Readable
		a.Writable = a.Writable && b.Writable
	}
	if a.Protected == "" {
		a.Protected = b.Protected
	}
	if a.Secret == "" {
		a.Secret = b.Secret
	}
	if a.Err == "" && b.Zone == permissions.Outside {
		a.Err = b.Err
	}
	a.Own = a.Own || b.Own
	a.Partial = a.Partial || b.Partial
	a.Below = union(a.Below, b.Below)
	return a
}

func union(a, b []string) []string {
	for _, x := range b {
		found := false
		for _, y := range a {
			if x == y {
				found = true
				break
			}
		}
		if !found {
			a = append(a, x)
		}
	}
	return a
}
