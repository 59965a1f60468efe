package workspace

import (
	"io/fs"
	"path"
	"strings"

	"mayi/pkg/permissions"
)

// itself resolves the name of a link (or of anything else) without following
// its last component: what removes or renames a name touches no more than that.
func (s *survey) itself(name string, links map[string]string) (trail, bool) {
	base := path.Base(name)
	if strings.HasSuffix(name, "/") || base == "." || base == ".." {
		return trail{}, false // these lead through the link
	}
	t, err := s.resolver(links).follow(name[:strings.LastIndexByte(name, '/')+1])
	if err != nil || t.magic {
		return trail{}, false
	}
	for i := range t.names {
		t.names[i] = join(t.names[i], base)
	}
	t.real = join(t.real, base)
	kind, err := s.disk.kind(t.real)
	if err != nil && !missing(err) {
		return trail{}, false
	}
	t.kind, t.exists = kind, err == nil
	if isDevice(t.real) {
		return trail{}, false
	}
	return t, true
}

// withLinks adds what the links below a folder lead to, where they are followed.
func (s *survey) withLinks(e *permissions.Effect, spots []spot, links map[string]string) []spot {
	if !e.Follow {
		return spots
	}
	return append(spots, s.through(e, links)...)
}

// through finds where the links below a folder lead, for a program that follows
// every one: a spot for each place that is not below the folder itself.
func (s *survey) through(e *permissions.Effect, links map[string]string) []spot {
	start, err := s.resolver(links).follow(fixedPart(e))
	if err != nil || !start.exists || !start.kind.IsDir() {
		return nil
	}
	var only *glob
	if comps := split(e.Path); e.Glob && deepAt(comps) >= 0 {
		// Names that are found and handed on: links among them are followed, and
		// no folder is entered through one.
		g := deepScope(e, comps, split(fixedPart(e)), start.real)
		only = &g
	}
	var out []spot
	for name := range links {
		if inside(name, start.real) && (only == nil || only.covers(split(name))) {
			out = append(out, s.linkSpot(e, name, links))
		}
	}
	seen := map[string]bool{start.real: true}
	todo := []string{start.real}
	for len(todo) > 0 {
		dir := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		entries, more, err := s.disk.list(dir, s.left)
		if err != nil {
			continue // nor can the program
		}
		s.left -= len(entries)
		if more || s.left <= 0 || len(out) > s.w.limits.spread {
			return append(out, spot{dir, permissions.Place{Err: "more links than could be looked at", Partial: true}})
		}
		for _, entry := range entries {
			name := join(dir, entry.Name())
			if entry.IsDir() && !seen[name] {
				seen[name] = true
				todo = append(todo, name)
			}
			if entry.Type()&fs.ModeSymlink == 0 || only != nil && !only.covers(split(name)) {
				continue
			}
			sp := s.linkSpot(e, name, links)
			out = append(out, sp)
			if real := sp.place.Real; only == nil && sp.place.Zone == permissions.Inside && !seen[real] {
				if kind, err := s.disk.kind(real); err == nil && kind.IsDir() {
					seen[real] = true
					todo = append(todo, real)
				}
			}
		}
	}
	return out
}

// linkSpot is where one link leads.
func (s *survey) linkSpot(e *permissions.Effect, name string, links map[string]string) spot {
	plain := *e
	plain.Glob, plain.Follow = false, false
	sp := s.spot(&plain, name, links)
	s.watched(&sp.place, sp.place.Real)
	return sp
}

// fixedPart is the effect's path, or the folder that its pattern begins with.
func fixedPart(e *permissions.Effect) string {
	if !e.Glob {
		return e.Path
	}
	i := strings.IndexAny(e.Path, `*?[\`)
	if i < 0 {
		return e.Path
	}
	return path.Dir(e.Path[:i] + "x")
}
