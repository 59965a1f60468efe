package shell

import (
	"mayi/pkg/shell/value"
)

// variable is what is known of one shell variable. It is never changed once
// it stands in a state.
type variable struct {
	// val is the value, or an array's element 0.
	val value.Value
	// unset: it may have no value at all. Never: it certainly has none.
	unset, never bool
	array        bool
	assoc        bool
	// list are an indexed array's elements, from 0 without gaps; open says
	// that there may be others, any of which is in rest.
	list []value.Value
	open bool
	rest value.Value

	// exported: programs see it; perhaps: only if it was in the environment
	// before, which is not known.
	exported, perhaps bool
	integer           bool
	lower, upper      bool
	// vague: whether it is an integer, or changes letter case, is not known.
	vague bool
	// ref is the name that a nameref stands for; refAny: it may be any name.
	ref    string
	refAny bool
}

func (v *variable) same(w *variable) bool {
	if v == w {
		return true
	}
	if len(v.list) != len(w.list) || v.unset != w.unset || v.never != w.never || v.array != w.array ||
		v.open != w.open || v.exported != w.exported || v.perhaps != w.perhaps || v.integer != w.integer || v.ref != w.ref ||
		v.refAny != w.refAny || !value.Equal(v.val, w.val) || !value.Equal(v.rest, w.rest) {
		return false
	}
	for i := range v.list {
		if !value.Equal(v.list[i], w.list[i]) {
			return false
		}
	}
	return true
}

func mergeVar(a, b *variable, union func(x, y value.Value) value.Value) *variable {
	if a == b {
		return a
	}
	v := &variable{
		unset: a.unset || b.unset || a.never != b.never, never: a.never && b.never,
		array: a.array || b.array, assoc: a.assoc || b.assoc, open: a.open || b.open,
		exported: a.exported || b.exported, integer: a.integer || b.integer,
		lower: a.lower || b.lower, upper: a.upper || b.upper,
		vague:   a.vague || b.vague || a.integer != b.integer || a.lower != b.lower || a.upper != b.upper,
		perhaps: a.perhaps || b.perhaps || a.exported != b.exported,
		ref:     a.ref, refAny: a.refAny || b.refAny || a.ref != b.ref,
	}
	switch {
	case a.never:
		v.val = b.val
	case b.never:
		v.val = a.val
	default:
		v.val = union(a.val, b.val)
	}
	if !v.array {
		return v
	}
	x, y := a.elements(), b.elements()
	v.list = mergeList(x, y, union)
	v.rest = union(a.rest, b.rest)
	if len(x) != len(y) {
		v.open = true
		for _, e := range x[len(v.list):] {
			v.rest = union(v.rest, e)
		}
		for _, e := range y[len(v.list):] {
			v.rest = union(v.rest, e)
		}
	}
	return v
}

// elements are the known elements; a scalar is an array of one.
func (v *variable) elements() []value.Value {
	if v.array {
		return v.list
	}
	if v.never {
		return nil
	}
	return []value.Value{v.val}
}

// any is every element that the array may hold.
func (v *variable) any() value.Value {
	var out value.Value
	first := true
	add := func(e value.Value) {
		if first {
			out, first = e, false
			return
		}
		out = value.Union(out, e)
	}
	for _, e := range v.elements() {
		add(e)
	}
	if v.open {
		add(v.rest)
	}
	return out
}

// lookup returns the variable as the state knows it; never nil. Names that
// were not assigned have the environment's value.
func (s *state) lookup(name string) *variable {
	if v, ok := s.vars[name]; ok {
		return v
	}
	switch name {
	case "PWD":
		return &variable{val: s.cwd, exported: true}
	case "OLDPWD":
		return &variable{val: s.oldpwd, exported: true, unset: true}
	case "HOME":
		if s.env.Home != "" {
			return &variable{val: value.Exact(s.env.Home), exported: true}
		}
	}
	if t, ok := s.env.Vars[name]; ok {
		return &variable{val: value.Exact(t), exported: true}
	}
	switch name {
	case "IFS":
		return &variable{val: value.Exact(" \t\n")}
	case "CDPATH", "HISTFILE", "GLOBIGNORE", "BASH_ENV", "ENV", "EXECIGNORE":
		return &variable{never: true}
	case "USER", "LOGNAME":
		if s.env.User != "" {
			return &variable{val: value.Exact(s.env.User), exported: true}
		}
	case "RANDOM", "SRANDOM", "SECONDS", "EPOCHSECONDS", "LINENO", "UID", "EUID", "PPID", "BASHPID",
		"SHLVL", "BASH_SUBSHELL", "COLUMNS", "LINES", "OPTIND", "HISTCMD":
		return &variable{val: value.Number("$" + name)}
	}
	return &variable{val: value.Unknown("$" + name + " is not known"), unset: true, exported: true, perhaps: true}
}

// resolve follows namerefs. ok is false where the name is not known.
func (s *state) resolve(name string) (string, bool) {
	for range 8 {
		v, ok := s.vars[name]
		if !ok {
			return name, true
		}
		if v.refAny {
			return name, false
		}
		if v.ref == "" {
			return name, true
		}
		name = v.ref
	}
	return name, false
}

// forget makes every variable unknown: after code that could not be read has
// run in this shell.
func (s *state) forget(why string) {
	m := make(map[string]*variable, len(s.vars))
	for name, v := range s.vars {
		m[name] = &variable{val: value.Unknown(why), unset: true, array: v.array, open: v.array,
			rest: value.Unknown(why), exported: v.exported}
	}
	s.vars, s.shared = m, false
	s.openParams()
}
