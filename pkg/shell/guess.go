package shell

import (
	"strings"

	"mayi/pkg/permissions"
	"mayi/pkg/shell/value"
)

// foreign is a program that is named by a path outside of the system's
// directories.
func (w *walker) foreign(st *state, c *command, name string) (ok, fail *state) {
	p := &w.an.Parts[c.part]
	consume(st)
	p.Name, p.Opaque, p.ArgsMayRun = 1, permissions.OpaqueProgram, true
	w.access(st, access{kind: permissions.Exec, path: c.argv[0].Single(), origin: permissions.FromCommand, part: c.part,
		span: c.spanAt(0), program: name})
	w.guessPaths(st, c)
	w.write(st, 1, value.Unknown("the output of "+name))
	// A file of that name anywhere may be the program that is the person's.
	named := append([]value.Value{value.Exact(name[strings.LastIndexByte(name, '/')+1:])}, c.argv[1:]...)
	w.an.Parts[c.part].Person = w.a.kb.DescribeInput(known(named), nil).Person
	return st, st
}

func (w *walker) unknownProgram(st *state, c *command, name string) (ok, fail *state) {
	p := &w.an.Parts[c.part]
	p.Name, p.Opaque, p.ArgsMayRun = 1, permissions.OpaqueProgram, true
	consume(st)
	w.exec(c, name, "what "+name+" does is not known")
	w.guessPaths(st, c)
	w.write(st, 1, value.Unknown("the output of "+name))
	return st, st
}

// exec is the effect of running a program of which the name says all that is
// known.
func (w *walker) exec(c *command, name, reason string) {
	w.effect(permissions.Effect{Kind: permissions.Exec, Origin: permissions.FromCommand, Part: c.part,
		Span: c.spanAt(0), Program: name, Certainty: permissions.Exact, Why: reason})
}

// guessPaths emits what a program that is not known may do with arguments
// that look like paths.
func (w *walker) guessPaths(st *state, c *command) {
	for i := 1; i < len(c.argv); i++ {
		v, ok := pathLike(c.argv[i].Single())
		if !ok {
			continue
		}
		for _, kind := range [...]permissions.Kind{permissions.Read, permissions.FSWrite} {
			w.access(st, access{kind: kind, path: v, origin: permissions.FromCommand, part: c.part, span: c.spanAt(i), may: true,
				why: "an argument that looks like a path"})
		}
	}
}

// pathLike returns the part of an argument that looks like a path.
func pathLike(v value.Value) (value.Value, bool) {
	head := v.Prefix()
	if strings.HasPrefix(head, "-") || strings.Contains(head, "=") {
		if _, rest, has := strings.Cut(head, "="); has {
			return afterEqual(v), looksLikePath(rest)
		}
		// -o/a/file, where the value is joined to the option.
		if text, ok := v.Text(); ok && len(text) > 2 && text[1] != '-' && strings.ContainsRune("/~.", rune(text[2])) {
			return value.Exact(text[2:]), true
		}
		return v, false
	}
	if home := v.Alternatives(); len(home[0]) > 0 && home[0][0].Kind == value.Home {
		return v, true
	}
	return v, looksLikePath(head)
}

func looksLikePath(s string) bool {
	if s == "" || strings.Contains(s, "://") || strings.ContainsAny(s, " \n\t") {
		return false
	}
	return strings.HasPrefix(s, ".") || strings.HasPrefix(s, "~") || strings.Contains(s, "/")
}
