package permissions

import (
	"errors"
	"fmt"
	"path"
	"strings"
)

// pattern is a compiled path glob: the components that a path must begin with,
// from the root on. "**" stands for any number of components, the others are
// for path.Match. A path below one that matches is matched, too.
type pattern []string

const anyDepth = "**"

// checkGlob refuses globs that could not do what they seem to say.
func checkGlob(glob string) error {
	switch {
	case strings.HasPrefix(glob, "!"):
		return errors.New("a glob cannot be negated; use the other list for exceptions")
	case strings.HasPrefix(glob, "~") && glob != "~" && !strings.HasPrefix(glob, "~/"):
		return errors.New("only one's own home can be named with ~; write another one as an absolute path")
	case strings.Contains(glob, "[:"):
		return errors.New("character classes such as [:alpha:] are not known; write [a-z]")
	case strings.ContainsAny(glob, "\n\r"):
		return errors.New("a glob has no line break")
	}
	for _, c := range strings.Split(glob, "/") {
		if c == ".." {
			return errors.New(`a glob cannot climb with ".."; write an absolute path`)
		}
		if _, err := path.Match(matchSyntax(c), ""); err != nil {
			return fmt.Errorf("%q is no pattern: a bracket or a backslash is not closed", c)
		}
		if c != anyDepth && strings.Contains(c, anyDepth) {
			return fmt.Errorf("%q: ** stands for whole directories only, between slashes", c)
		}
	}
	if len(components(strings.TrimPrefix(glob, "~"))) == 0 && glob != "/" && glob != "~" && glob != "~/" && !isHere(glob) {
		return errors.New("it names no file")
	}
	return nil
}

func isHere(glob string) bool { return glob == "." || glob == "./" }

// matchSyntax turns gitignore's [!a] into path.Match's [^a].
func matchSyntax(c string) string { return strings.ReplaceAll(c, "[!", "[^") }

// components splits a path at its slashes; empty ones and "." mean nothing.
func components(p string) []string {
	out := make([]string, 0, strings.Count(p, "/")+1)
	for p != "" {
		var c string
		c, p, _ = strings.Cut(p, "/")
		if c != "" && c != "." {
			out = append(out, c)
		}
	}
	return out
}

// compileGlob returns the patterns of a glob, one for each root that it is
// relative to. A liberal glob that is not bound to a directory matches
// everywhere; a strict one stays in the roots, and without a home ~ matches
// nothing.
func compileGlob(glob string, roots []string, home string, liberal bool) []pattern {
	glob = matchSyntax(glob)
	if rest, ok := strings.CutPrefix(glob, "~"); ok {
		if home != "" {
			return []pattern{join(literal(home), components(rest))}
		}
		if !liberal {
			return nil
		}
		return []pattern{join(pattern{anyDepth}, components(rest))}
	}
	if strings.HasPrefix(glob, "/") {
		return []pattern{join(nil, components(glob))}
	}
	comps := components(glob)
	floating := !strings.Contains(strings.TrimSuffix(glob, "/"), "/") && !isHere(glob) || len(comps) > 0 && comps[0] == anyDepth
	if floating && len(comps) > 0 && comps[0] != anyDepth {
		comps = join(pattern{anyDepth}, comps)
	}
	if liberal && (floating || len(roots) == 0) {
		return []pattern{join(pattern{anyDepth}, comps)}
	}
	out := make([]pattern, 0, len(roots))
	for _, root := range roots {
		out = append(out, join(literal(root), comps))
	}
	return out
}

// literal turns a directory's name into components that match only it.
func literal(dir string) pattern {
	comps := components(dir)
	for i, c := range comps {
		comps[i] = escapeGlob(c)
	}
	return comps
}

// escapeGlob quotes what has a meaning in a pattern.
func escapeGlob(s string) string {
	if !strings.ContainsAny(s, `*?[\`) {
		return s
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(s)
}

// join concatenates components; of several ** in a row one is kept.
func join(a, b []string) pattern {
	out := make(pattern, 0, len(a)+len(b))
	for _, part := range [2][]string{a, b} {
		for _, c := range part {
			if c == anyDepth && len(out) > 0 && out[len(out)-1] == anyDepth {
				continue
			}
			out = append(out, c)
		}
	}
	return out
}

// matches reports whether the pattern matches the path or a directory above
// it. self: a pattern that ends in ** matches the directory itself, too. It
// backtracks to the last ** only, so it costs at most len(p)*len(path) steps.
func (p pattern) matches(path []string, self bool) bool {
	at, i, star, mark := 0, 0, -1, 0
	for {
		switch {
		case at == len(p):
			return true
		case p[at] == anyDepth && at == len(p)-1:
			return self || i < len(path)
		case p[at] == anyDepth:
			star, mark = at, i
			at++
		case i < len(path) && matchComponent(p[at], path[i]):
			at++
			i++
		case star >= 0 && mark < len(path):
			mark++
			at, i = star+1, mark
		default:
			return false
		}
	}
}

func matchComponent(glob, name string) bool {
	if glob == name {
		return true
	}
	ok, err := path.Match(glob, name)
	return ok && err == nil
}

// PathPatterns spells out a path rule's glob for whoever matches paths in its
// place, as deny and ask rules mean it: each pattern is absolute, or begins with
// ** and matches at any depth. Components are for path.Match; what lies below a
// match, and the folder of dir/** itself, is meant, too.
func PathPatterns(glob string, roots []string, home string) []string {
	var out []string
	for _, p := range compileGlob(glob, roots, home, true) {
		for len(p) > 1 && p[len(p)-1] == anyDepth {
			p = p[:len(p)-1] // what is below is meant all the same
		}
		text := strings.Join(p, "/")
		if len(p) == 0 || p[0] != anyDepth {
			text = "/" + text
		}
		out = append(out, text)
	}
	return out
}

// MatchPath reports whether a path glob, as path rules use them, matches the
// absolute path or a directory above it. A glob without a slash, or one that
// begins with **/, matches at any depth, inside the roots or not.
func MatchPath(glob, path string, roots []string, home string) bool {
	comps := components(path)
	for _, p := range compileGlob(glob, roots, home, true) {
		if p.matches(comps, true) {
			return true
		}
	}
	return false
}
