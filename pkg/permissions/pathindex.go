package permissions

import "strings"

// pathIndex finds the path rules that match a path. Rules are kept by what is
// literal in them: a rule that begins with directories under those, a rule
// that matches at any depth under its next name or that name's extension. What
// has nothing literal is tried in turn.
type pathIndex struct {
	// liberal: for deny and ask. Patterns then match everywhere unless they
	// are bound to a directory.
	liberal bool
	all     []pathEntry // every rule's patterns, for globs and unknown paths
	root    pathNode
	byName  map[string][]pathEntry
	byExt   map[string][]pathEntry
	rest    []pathEntry
}

type pathEntry struct {
	pattern pattern
	rule    *Rule
}

type pathNode struct {
	next map[string]*pathNode
	// here are the entries whose literal directories end here; their patterns
	// are what is left.
	here []pathEntry
}

func (x *pathIndex) add(r *Rule, roots []string, home string) {
	for _, p := range compileGlob(r.Glob, roots, home, x.liberal) {
		e := pathEntry{p, r}
		x.all = append(x.all, e)
		switch {
		case len(p) == 0 || p[0] != anyDepth:
			x.root.add(e)
		case len(p) == 1:
			x.rest = append(x.rest, e)
		case !hasMeta(p[1]):
			put(&x.byName, p[1], e)
		default:
			if ext, ok := literalExt(p[1]); ok {
				put(&x.byExt, ext, e)
			} else {
				x.rest = append(x.rest, e)
			}
		}
	}
}

func put(m *map[string][]pathEntry, key string, e pathEntry) {
	if *m == nil {
		*m = map[string][]pathEntry{}
	}
	(*m)[key] = append((*m)[key], e)
}

func (n *pathNode) add(e pathEntry) {
	for len(e.pattern) > 0 && e.pattern[0] != anyDepth {
		name := e.pattern[0]
		if hasMeta(name) {
			if name = unescapeGlob(name); name == "" {
				break
			}
		}
		if n.next == nil {
			n.next = map[string]*pathNode{}
		}
		child := n.next[name]
		if child == nil {
			child = &pathNode{}
			n.next[name] = child
		}
		n, e.pattern = child, e.pattern[1:]
	}
	n.here = append(n.here, e)
}

// unescapeGlob returns the only name that the component matches, or "" where
// it matches several.
func unescapeGlob(c string) string {
	var b strings.Builder
	for i := 0; i < len(c); i++ {
		switch c[i] {
		case '*', '?', '[':
			return ""
		case '\\':
			if i++; i == len(c) {
				return ""
			}
		}
		b.WriteByte(c[i])
	}
	return b.String()
}

// literalExt returns the text after the last dot of a component's pattern,
// where that is literal.
func literalExt(c string) (string, bool) {
	i := strings.LastIndexByte(c, '.')
	if i < 0 || hasMeta(c[i:]) || strings.ContainsAny(c[i:], "]") {
		return "", false
	}
	if strings.ContainsAny(c[:i], `[\`) {
		return "", false // the dot may stand in a bracket
	}
	return c[i+1:], true
}

// find returns a rule that matches the path or a directory above it. self: a
// rule for dir/** matches dir itself, too.
func (x *pathIndex) find(path []string, self bool) *Rule {
	if len(x.all) == 0 {
		return nil
	}
	n := &x.root
	for depth := 0; n != nil; depth++ {
		if r := first(n.here, path[depth:], self); r != nil {
			return r
		}
		if depth == len(path) {
			break
		}
		n = n.next[path[depth]]
	}
	for i, name := range path {
		if r := firstBelow(x.byName[name], path[i:], self); r != nil {
			return r
		}
		if len(x.byExt) == 0 {
			continue
		}
		if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
			if r := firstBelow(x.byExt[name[dot+1:]], path[i:], self); r != nil {
				return r
			}
		}
	}
	return first(x.rest, path, self)
}

func first(entries []pathEntry, path []string, self bool) *Rule {
	for _, e := range entries {
		if e.pattern.matches(path, self) {
			return e.rule
		}
	}
	return nil
}

// firstBelow is first for entries whose leading ** is known to end at path.
func firstBelow(entries []pathEntry, path []string, self bool) *Rule {
	for _, e := range entries {
		if e.pattern[1:].matches(path, self) {
			return e.rule
		}
	}
	return nil
}

// mayFind returns a rule that may match what the shell expands the glob to.
func (x *pathIndex) mayFind(glob []string) *Rule {
	for _, e := range x.all {
		if e.pattern.overlaps(glob) {
			return e.rule
		}
	}
	return nil
}

// some returns a rule, nil where there is none.
func (x *pathIndex) some() *Rule {
	if len(x.all) == 0 {
		return nil
	}
	return x.all[0].rule
}
