package shell

import (
	"mayi/pkg/shell/knowledge"
	"mayi/pkg/shell/value"
)

// child is the state of a program that was started: a copy in which only what
// is exported is known.
func (w *walker) child(st *state, c *command, use knowledge.Use, elsewhere string) *state {
	s := st.clone()
	s.vars, s.shared = map[string]*variable{}, false
	for name, v := range st.vars {
		switch {
		case v.exported && v.perhaps && !v.array:
			// Where it is not passed on it is not in the environment at all.
			c := *v
			c.unset = true
			s.vars[name] = &c
		case v.exported && !v.array:
			s.vars[name] = v
		default:
			s.vars[name] = &variable{never: true}
		}
	}
	s.aliases, s.hashed, s.disabled, s.locals, s.inFunc, s.stack = nil, nil, nil, nil, false, nil
	s.opts = options{}
	s.funcs = nil
	for name, f := range st.funcs {
		if f.exported {
			s.funcs = with(s.funcs, name, f)
		}
	}
	s.setParams(nil)
	for _, a := range c.prefix {
		if !a.array && !a.indexd && !a.add {
			s.set(a.name, &variable{val: a.val, exported: true})
		} else {
			s.set(a.name, &variable{val: value.Unknown("$" + a.name), exported: true})
		}
		w.childSteer(s, a.name, a.val)
	}
	for _, a := range use.Env {
		s.set(a.Name, &variable{val: a.Value, exported: true})
		w.childSteer(s, a.Name, a.Value)
	}
	if use.Cwd != nil {
		s.cwd = chdir(st.cwd, *use.Cwd)
		s.oldpwd = value.Unknown("the previous directory is not known")
	}
	if elsewhere != "" {
		s.env = &Env{}
		s.vars, s.funcs, s.steers = nil, nil, nil
		s.cwd, s.oldpwd = value.Unknown("it runs "+elsewhere), value.Unknown("it runs "+elsewhere)
	}
	return s
}

func (w *walker) childSteer(s *state, name string, v value.Value) {
	kind, reason := w.envEffect(s, name, v)
	if kind == knowledge.SteersNothing {
		return
	}
	st := steer{name: name, why: reason, network: kind == knowledge.SteersNetwork}
	if !containsSteer(s.steers, st) {
		s.steers = append(s.steers[:len(s.steers):len(s.steers)], st)
	}
}

// chdir is a directory that a program changes to, from cwd.
func chdir(cwd, dir value.Value) value.Value {
	var out value.Value
	first := true
	for _, d := range dir.Alternatives() {
		var list [][]value.Piece
		if place(d) == placeRelative {
			for _, c := range cwd.Alternatives() {
				list = append(list, under(c, d))
			}
		} else {
			list = [][]value.Piece{d}
		}
		for _, l := range list {
			v := tidy(l, true)
			if first {
				out, first = v, false
				continue
			}
			out = value.Union(out, v)
		}
	}
	return out
}
