package workspace

import (
	"path"
	"strings"

	"mayi/pkg/permissions"
)

// Config says what a workspace is made of. Paths are absolute or begin with
// "~/"; others are taken relative to the first root (for roots: dropped).
type Config struct {
	// Roots are the workspace's folders; without one everything is outside.
	Roots []string
	// Trusted are further folders that file tools may touch.
	Trusted []string
	// ReadPaths and WritePaths are standing grants outside the workspace: paths
	// (with what is below them) or gitignore-style globs.
	ReadPaths, WritePaths []string
	// Protected are gitignore-style globs that add to [Protected].
	Protected []string
	// Own are mayi's own folders and files (settings, state).
	Own []string
	// Home is the home directory, Cwd the working directory calls start in.
	Home, Cwd string
}

// Workspace knows the boundary and everything that is granted or protected
// around it. It is immutable and safe for concurrent use; it keeps nothing that
// it has seen on the disk but where its own roots are.
type Workspace struct {
	disk disk
	home string
	cwd  string
	// roots are the canonical workspace roots, areas those and the trusted ones.
	roots, areas []string
	own          []string
	read, write  grants
	guards       *guards
	limits       limits
	// secrets are the kinds of files whose content opens something.
	secrets secrets
}

// limits bound how much of the disk one call is looked at.
type limits struct {
	// entries is how many directory entries a look below or a glob may see.
	entries int
	// depth is how many folders deep a look below goes.
	depth int
	// matches is how many files one glob may stand for.
	matches int
	// spread is how many different outside places one effect is split into.
	spread int
}

// New returns the workspace that c describes. A root that cannot be followed
// is left out, which only makes more of the disk count as outside.
func New(c Config) *Workspace { return newOn(osDisk{}, c) }

func newOn(d disk, c Config) *Workspace {
	w := &Workspace{
		disk:   d,
		home:   c.Home,
		cwd:    c.Cwd,
		limits: limits{entries: 50_000, depth: 64, matches: 4_096, spread: 16},
	}
	seen := &memo{disk: d, seen: map[string]look{}}
	w.roots = w.canonical(seen, c.Roots, "")
	w.areas = w.roots
	base := c.Cwd
	if len(w.roots) > 0 {
		base = w.roots[0]
		w.areas = append(w.areas[:len(w.areas):len(w.areas)], w.canonical(seen, c.Trusted, "")...)
	}
	w.own = w.canonical(seen, c.Own, base)
	home := w.home
	if h := w.canonical(seen, []string{c.Home}, ""); len(h) == 1 {
		home = h[0]
	}
	w.read = w.grantsOf(seen, c.ReadPaths, base, home)
	w.write = w.grantsOf(seen, c.WritePaths, base, home)
	w.secrets = newSecrets(home)
	w.guards = newGuards(w.roots, home, w.own, c.Protected)
	return w
}

// Roots returns the canonical workspace roots.
func (w *Workspace) Roots() []string { return append([]string(nil), w.roots...) }

// canonical resolves the names that can be resolved.
func (w *Workspace) canonical(look disk, names []string, base string) []string {
	out := make([]string, 0, len(names))
	for _, n := range names {
		if n == "" {
			continue
		}
		n = expand(n, w.home, base)
		t, err := (&resolver{disk: look}).follow(n)
		if err == nil && !t.magic {
			out = append(out, t.real)
		}
	}
	return out
}

// expand makes a configured name absolute where that is possible.
func expand(name, home, base string) string {
	switch {
	case name == "~" || strings.HasPrefix(name, "~/"):
		if home == "" {
			return name
		}
		return home + name[1:]
	case strings.HasPrefix(name, "/") || base == "":
		return name
	}
	return path.Join(base, name)
}

// grants are standing grants: canonical folders and compiled globs.
type grants struct {
	folders []string
	globs   []glob
}

func (w *Workspace) grantsOf(look disk, entries []string, base, home string) grants {
	var g grants
	for _, e := range entries {
		if !strings.ContainsAny(e, `*?[\`) {
			g.folders = append(g.folders, w.canonical(look, []string{e}, base)...)
			continue
		}
		// The literal folders before the first wildcard lead where their links
		// lead; the pattern then goes on from there.
		full := expand(e, w.home, "")
		if strings.HasPrefix(full, "/") {
			full = w.literalPrefix(look, full)
		}
		g.globs = append(g.globs, scope{roots: w.roots, home: home}.compile(full)...)
	}
	return g
}

// literalPrefix resolves the folders of an absolute pattern that come before
// its first wildcard.
func (w *Workspace) literalPrefix(look disk, pattern string) string {
	comps := split(pattern)
	for i, c := range comps {
		if !strings.ContainsAny(c, `*?[\`) {
			continue
		}
		dir := w.canonical(look, []string{"/" + strings.Join(comps[:i], "/")}, "")
		if len(dir) == 0 {
			break
		}
		return join(dir[0], strings.Join(comps[i:], "/"))
	}
	return pattern
}

func (g *grants) cover(real string) bool {
	for _, f := range g.folders {
		if inside(real, f) {
			return true
		}
	}
	if len(g.globs) == 0 {
		return false
	}
	comps := split(real)
	for i := range g.globs {
		if g.globs[i].covers(comps) {
			return true
		}
	}
	return false
}

// zone says on which side of the boundary a canonical path is.
func (w *Workspace) zone(real string) permissions.Zone {
	if isDevice(real) {
		return permissions.Device
	}
	for _, a := range w.areas {
		if inside(real, a) {
			return permissions.Inside
		}
	}
	return permissions.Outside
}
