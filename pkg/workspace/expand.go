package workspace

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"mayi/pkg/permissions"
)

var errTooMany = errors.New("there are too many files to look at")

// found is one file that a glob stands for.
type found struct {
	// name is the file as the glob spells it.
	name string
	// real is the canonical path where no link is on the way, else "".
	real string
	kind fs.FileMode
}

// expand finds the places that a glob may stand for: itself, as the shell hands
// it on where nothing matches, and every match. Matches inside the workspace are
// joined with the pattern's own place; each outside is a spot of its own.
func (s *survey) expand(e *permissions.Effect, links map[string]string) []spot {
	comps := split(e.Path)
	plain := *e
	plain.Glob = false
	for _, c := range comps {
		// "**" may stand for any folders below.
		plain.Recursive = plain.Recursive || c == "**"
	}
	main := s.spot(&plain, literal(comps), links)
	if plain.Recursive && !e.Recursive {
		deep := s.spot(&plain, prefix(comps), links)
		main.place = strictest(main.place, deep.place)
	}
	main.path = e.Path
	matches, err := s.glob(comps, links)
	if err != nil {
		return []spot{{e.Path, strictest(main.place, permissions.Place{Err: err.Error(), Partial: true})}}
	}
	out := []spot{main}
	for _, m := range matches {
		var sp spot
		if m.real != "" {
			sp = spot{m.name, s.placeOf(e, trail{real: m.real, kind: m.kind, exists: true})}
		} else {
			sp = s.spot(e, m.name, links)
		}
		s.watched(&sp.place, sp.place.Real)
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

// glob lists the names on the disk that a pattern matches.
func (s *survey) glob(comps []string, links map[string]string) ([]found, error) {
	dirs := []found{{name: "/", real: "/", kind: fs.ModeDir}}
	for i, c := range comps {
		var out []found
		last := i == len(comps)-1
		for _, d := range dirs {
			if !hasMeta(c) {
				out = append(out, found{name: join(d.name, unescape(c))})
				continue
			}
			more, err := s.matches(d.name, c, last, links)
			if err != nil {
				return nil, err
			}
			out = append(out, more...)
			if len(out) > s.w.limits.matches {
				return nil, errTooMany
			}
		}
		dirs = out
	}
	return dirs, nil
}

// matches lists what one component of a pattern matches in one directory.
func (s *survey) matches(dir, pattern string, last bool, links map[string]string) ([]found, error) {
	r := &resolver{disk: s.w.disk, cwd: s.w.cwd, links: links}
	t, err := r.follow(dir)
	if err != nil {
		return nil, err
	}
	if t.magic {
		return nil, nil
	}
	var out []found
	for name, target := range links {
		if path.Dir(name) == t.real && target != "" && shellMatch(pattern, path.Base(name)) {
			out = append(out, found{name: join(dir, path.Base(name))})
		}
	}
	if !t.exists || !t.kind.IsDir() {
		return out, nil
	}
	entries, more, err := s.w.disk.list(t.real, s.left)
	if err != nil {
		if missing(err) {
			return out, nil
		}
		return nil, cause(err)
	}
	if s.left -= len(entries); more {
		return nil, errTooMany
	}
	for _, e := range entries {
		if !shellMatch(pattern, e.Name()) || (!last && e.Type().IsRegular()) {
			continue
		}
		f := found{name: join(dir, e.Name()), kind: e.Type()}
		if last && e.Type()&fs.ModeSymlink == 0 {
			f.real = join(t.real, e.Name())
			if _, linked := links[f.real]; linked {
				f.real = ""
			}
		}
		out = append(out, f)
	}
	return out, nil
}

// shellMatch reports whether a shell's pattern may match a file name. Bracket
// expressions depend on the locale, so they are taken for anything.
func shellMatch(pattern, name string) bool {
	if strings.HasPrefix(name, ".") && !strings.HasPrefix(strings.TrimPrefix(pattern, `\`), ".") {
		return false
	}
	if i := strings.IndexByte(pattern, '['); i >= 0 {
		pattern = pattern[:i] + "*"
	}
	ok, err := path.Match(pattern, name)
	return ok || err != nil
}

func hasMeta(c string) bool { return strings.ContainsAny(c, "*?[") }

// prefix is the folder before the first component with a wildcard.
func prefix(comps []string) string {
	for i, c := range comps {
		if hasMeta(c) {
			return "/" + unescape(strings.Join(comps[:i], "/"))
		}
	}
	return literal(comps)
}

// literal is the pattern taken as a name.
func literal(comps []string) string { return "/" + unescape(strings.Join(comps, "/")) }

func unescape(c string) string {
	if strings.IndexByte(c, '\\') < 0 {
		return c
	}
	var b strings.Builder
	for i := 0; i < len(c); i++ {
		if c[i] == '\\' && i+1 < len(c) {
			i++
		}
		b.WriteByte(c[i])
	}
	return b.String()
}
