package workspace

import (
	"path"
	"strings"
)

// glob is one compiled pattern: absolute, split at its slashes.
type glob struct {
	// text is the entry as it was written.
	text string
	segs []segment
	// exact: only the path itself is meant, not what lies below it.
	exact bool
}

// segment is one component of a pattern.
type segment struct {
	text string
	// deep is "**": any number of components, none among them.
	deep bool
	wild bool
}

// scope says where a pattern without a leading slash begins.
type scope struct {
	roots []string
	home  string
	// fold rewrites pattern and path so that spellings which some file system
	// takes for the same name become the same; nil leaves them alone.
	fold func(string) string
	// loose: the pattern guards something, so that where it is not known what it
	// is relative to, it holds everywhere. A grant's pattern holds nowhere then.
	loose bool
}

// compile reads a gitignore-style pattern: "/…" is absolute, "~/…" begins in
// the home directory, a pattern with a slash begins in each workspace root, one
// without (or that begins with "**/") holds at any depth. A pattern covers what
// lies below the paths that it matches.
func (sc scope) compile(text string) []glob {
	p := strings.TrimRight(text, "/")
	for strings.HasSuffix(p, "/**") {
		p = strings.TrimRight(strings.TrimSuffix(p, "/**"), "/")
	}
	switch {
	case p == "":
		if text == "" {
			return nil
		}
		return []glob{{text: text}}
	case p == "~" || strings.HasPrefix(p, "~/"):
		if sc.home == "" {
			return sc.anywhere(text, p[1:])
		}
		return []glob{sc.build(text, sc.home, p[1:])}
	case strings.HasPrefix(p, "/"):
		return []glob{sc.build(text, "/", p)}
	case p == "**" || strings.HasPrefix(p, "**/") || !strings.Contains(p, "/"):
		g := sc.build(text, "/", p)
		if len(g.segs) == 0 || !g.segs[0].deep {
			g.segs = append([]segment{{deep: true}}, g.segs...)
		}
		return []glob{g}
	}
	if len(sc.roots) == 0 {
		return sc.anywhere(text, p)
	}
	out := make([]glob, 0, len(sc.roots))
	for _, root := range sc.roots {
		out = append(out, sc.build(text, root, p))
	}
	return out
}

// anywhere is a pattern whose base is not known.
func (sc scope) anywhere(text, pattern string) []glob {
	if !sc.loose {
		return nil
	}
	return []glob{sc.build(text, "/", "**/"+pattern)}
}

// build makes a glob from a literal base and a pattern relative to it.
func (sc scope) build(text, base, pattern string) glob {
	return glob{text: text, segs: sc.extend(sc.base(base), pattern)}
}

// base is a literal path as segments.
func (sc scope) base(dir string) []segment {
	comps := split(dir)
	out := make([]segment, len(comps), len(comps)+4)
	for i, c := range comps {
		out[i].text = sc.name(c)
	}
	return out
}

// extend goes on from base with a pattern; base is left alone.
func (sc scope) extend(base []segment, pattern string) []segment {
	out := make([]segment, len(base), len(base)+1+strings.Count(pattern, "/"))
	copy(out, base)
	for pattern != "" {
		var c string
		switch c, pattern = next(pattern); {
		case c == "." || c == "":
		case c == "**":
			out = append(out, segment{deep: true})
		case strings.ContainsAny(c, `*?[\`):
			out = append(out, segment{text: strings.ReplaceAll(sc.name(c), "[!", "[^"), wild: true})
		default:
			out = append(out, segment{text: sc.name(c)})
		}
	}
	return out
}

func (sc scope) name(c string) string {
	if sc.fold == nil {
		return c
	}
	return sc.fold(c)
}

// covers reports whether the glob matches the path with these components or,
// unless it is exact, a directory that the path lies in.
func (g *glob) covers(comps []string) bool { return match(g.segs, comps, !g.exact) }

// is reports whether the glob matches the path itself.
func (g *glob) is(comps []string) bool {
	if n := len(g.segs); n > 0 && len(comps) > 0 {
		// Most patterns end in a plain name, which rules most paths out.
		if last := &g.segs[n-1]; !last.wild && !last.deep && last.text != comps[len(comps)-1] {
			return false
		}
	}
	return match(g.segs, comps, false)
}

func match(segs []segment, comps []string, below bool) bool {
	for len(segs) > 0 {
		s := &segs[0]
		if s.deep {
			for i := 0; i <= len(comps); i++ {
				if match(segs[1:], comps[i:], below) {
					return true
				}
			}
			return false
		}
		if len(comps) == 0 || !s.matches(comps[0]) {
			return false
		}
		segs, comps = segs[1:], comps[1:]
	}
	return below || len(comps) == 0
}

func (s *segment) matches(name string) bool {
	if !s.wild {
		return s.text == name
	}
	ok, err := path.Match(s.text, name)
	if err != nil {
		// A pattern that cannot be read means its own text.
		return s.text == name
	}
	return ok
}

// split returns the components of a path or pattern.
func split(p string) []string {
	out := make([]string, 0, strings.Count(p, "/")+1)
	for {
		var c string
		if c, p = next(p); c == "" {
			return out
		}
		out = append(out, c)
	}
}
