package shell

import (
	"strings"

	"mayi/pkg/permissions"
	"mayi/pkg/shell/value"

	"mvdan.cc/sh/v3/syntax"
)

// access is one use of a path.
type access struct {
	kind      permissions.Kind
	path      value.Value
	origin    permissions.Origin
	node      syntax.Node
	span      permissions.Span // where node is nil
	part      int              // where node is nil
	dir       *value.Value     // what a relative path is relative to
	recursive bool
	follow    bool // links below it are followed
	nofollow  bool // a link itself is meant
	sweep     permissions.Sweep
	may       bool
	program   string
	link      string
	why       string
}

// access emits the effects of using a path, one for each place that it may be.
func (w *walker) access(st *state, a access) {
	e := permissions.Effect{Kind: a.kind, Origin: a.origin, Recursive: a.recursive, NoFollow: a.nofollow, Program: a.program, Sweep: a.sweep,
		LinkTo: a.link, Part: w.parent, Why: a.why}
	if a.node != nil {
		e.Span = w.spanOf(a.node)
	} else {
		e.Span, e.Part = a.span, a.part
	}
	paths := absolute(st.cwd, a.dir, a.path)
	for _, p := range paths {
		f := e
		f.Path, f.Glob, f.Recursive = p.text, p.glob, a.recursive || p.deep
		f.Scratch, f.Listed = p.scratch, p.listed && !a.recursive
		f.Follow = f.Recursive && a.follow || p.links && !a.nofollow
		f.NoFollow = a.nofollow || p.nolinks
		f.Certainty = permissions.Exact
		switch {
		case p.text == "" || p.foreign:
			f.Certainty = permissions.Unknown
			if f.Why == "" {
				f.Why = p.why
			}
		case len(paths) > 1 || p.glob || a.may || p.deep:
			f.Certainty = permissions.Bounded
		}
		w.effect(f)
	}
}

// location is one place that a path may be.
type location struct {
	text    string // "" where not known
	glob    bool
	deep    bool // and everything below
	links   bool // links among what is below are followed
	nolinks bool // what is below is meant without the links
	foreign bool // another user's home
	scratch bool // what mktemp made, or something in it
	listed  bool // files that a listing named
	why     string
}

// absolute joins a path to the working directory, for every combination of
// what both may be. The paths are not cleaned: "link/.." is for the kernel.
func absolute(cwd value.Value, dir *value.Value, path value.Value) []location {
	if t, ok := path.Text(); ok && dir == nil {
		if strings.HasPrefix(t, "/") {
			return []location{{text: t}}
		}
		if c, ok := cwd.Text(); ok && t != "" && strings.HasPrefix(c, "/") {
			return []location{{text: strings.TrimSuffix(c, "/") + "/" + t}}
		}
	}
	var out []location
	add := func(l location) {
		for _, have := range out {
			if have == l {
				return
			}
		}
		out = append(out, l)
	}
	for _, alt := range path.Alternatives() {
		switch place(alt) {
		case placeUnknown:
			add(location{why: reason(alt)})
		case placeAbsolute:
			add(located(nil, alt))
		default:
			for _, base := range bases(cwd, dir) {
				add(located(base, alt))
			}
		}
	}
	return out
}

// bases are the directories that a relative path may be relative to.
func bases(cwd value.Value, dir *value.Value) [][]value.Piece {
	if dir == nil {
		return cwd.Alternatives()
	}
	var out [][]value.Piece
	for _, d := range dir.Alternatives() {
		switch place(d) {
		case placeRelative:
			for _, c := range cwd.Alternatives() {
				out = append(out, under(c, d))
			}
		default:
			out = append(out, d)
		}
	}
	return out
}

// under is d below the directory c.
func under(c, d []value.Piece) []value.Piece {
	if len(d) == 0 {
		return c
	}
	sep := value.Piece{Kind: value.Lit, Text: "/"}
	if len(c) > 0 && c[len(c)-1].Kind == value.Lit && strings.HasSuffix(c[len(c)-1].Text, "/") {
		sep.Text = ""
	}
	out := append(append([]value.Piece(nil), c...), sep)
	return append(out, d...)
}

type placeKind uint8

const (
	placeRelative placeKind = iota
	placeAbsolute
	placeUnknown
)

// place says what a path is relative to: its first text decides.
func place(alt []value.Piece) placeKind {
	for _, p := range alt {
		switch {
		case p.Kind == value.Home:
			return placeAbsolute
		case p.Kind == value.Any:
			return placeUnknown
		case p.Text == "":
			continue
		case p.Kind == value.Lit && p.Text[0] == '/':
			return placeAbsolute
		}
		return placeRelative
	}
	return placeRelative
}

func reason(alt []value.Piece) string {
	for _, p := range alt {
		if p.Kind == value.Any {
			return p.Text
		}
	}
	return "the path is not known"
}

// located writes the path out. Text that is not known may climb with "..", so
// that nothing bounds the path any more.
func located(base, alt []value.Piece) location {
	pieces := alt
	if base != nil {
		if place(base) != placeAbsolute {
			return location{why: "the working directory is not known"}
		}
		pieces = under(base, alt)
	}
	if n := len(pieces); n == 1 && pieces[0].Kind == value.Lit {
		return location{text: pieces[0].Text}
	}
	l := location{}
	for _, p := range pieces {
		switch p.Kind {
		case value.Any:
			return location{why: p.Text}
		case value.Glob, value.Num:
			l.glob = true
		case value.Home:
			l.foreign, l.why = true, "another user's home directory is not known"
		}
	}
	l.scratch, l.listed = scratch(pieces), listedName(pieces)
	if climbs(pieces) {
		return location{why: "it may climb out of what was found"}
	}
	var b strings.Builder
	for _, p := range pieces {
		switch {
		case p.Kind == value.Glob && (p.Text == "**" || p.Text == "***"):
			// Crosses directories: everything below what stands before it.
			l.links, l.nolinks = p.Text == "**", p.Text == "***"
			l.deep, l.glob = true, strings.ContainsAny(b.String(), "*?[")
			l.text = strings.TrimSuffix(b.String(), "/")
			if l.text == "" {
				l.text = "/"
			}
			return l
		case p.Kind == value.Glob && p.Text == noDash+"**":
			// Some name below the last folder that is named.
			l.deep, l.links, l.glob = true, true, strings.ContainsAny(b.String(), "*?[")
			l.text = b.String()[:strings.LastIndexByte(b.String(), '/')+1]
			return l
		case p.Kind == value.Glob && strings.HasPrefix(p.Text, "**/"):
			l.links = true
			b.WriteString(p.Text)
		case p.Kind == value.Glob && strings.HasPrefix(p.Text, "***/"):
			l.nolinks = true
			b.WriteString(p.Text[1:])
		case p.Kind == value.Num:
			b.WriteByte('*')
		case p.Kind == value.Lit && l.glob:
			b.WriteString(escapeGlob(p.Text))
		default:
			b.WriteString(p.Text)
		}
	}
	l.text = b.String()
	return l
}

// escapeGlob quotes the characters that a pattern would take as operators.
func escapeGlob(s string) string {
	if !strings.ContainsAny(s, `*?[\`) {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		if strings.IndexByte(`*?[\`, s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// clean resolves "." and ".." by name, as the shell's own cd does.
func clean(path string) string {
	var parts []string
	for _, p := range strings.Split(path, "/") {
		switch p {
		case "", ".":
		case "..":
			if len(parts) > 0 {
				parts = parts[:len(parts)-1]
			}
		default:
			parts = append(parts, p)
		}
	}
	return "/" + strings.Join(parts, "/")
}

// trustedDir: programs in it are the system's own.
func trustedDir(dir string) bool {
	switch dir {
	case "/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin", "/usr/local/sbin":
		return true
	}
	return false
}

// systemProgram returns the bare name of a program in a trusted directory.
func systemProgram(path string) (string, bool) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 || !trustedDir(path[:i]) || path[i+1:] == "" {
		return "", false
	}
	return path[i+1:], true
}
