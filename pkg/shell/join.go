package shell

import (
	"maps"

	"mayi/pkg/shell/value"
)

// join is the state after a branch of which a and b are the two ends. Either
// may be dead or nil.
func join(a, b *state) *state { return merge(a, b, value.Union) }

// widen is like join but makes what differs soon stop changing.
func widen(a, b *state) *state {
	return merge(a, b, func(x, y value.Value) value.Value {
		return value.Widen(x, y, "it changes in a loop")
	})
}

func merge(a, b *state, union func(x, y value.Value) value.Value) *state {
	switch {
	case a == b || b == nil:
		return a
	case a == nil:
		return b
	case a.dead:
		return b
	case b.dead:
		return a
	}
	s := a.clone()
	s.vars, s.shared = mergeVars(a, b, union), false
	s.cwd = union(a.cwd, b.cwd)
	s.oldpwd = union(a.oldpwd, b.oldpwd)
	s.arg0 = union(a.arg0, b.arg0)
	s.out = union(a.out, b.out)
	s.opts = a.opts.join(b.opts)
	s.fds = a.fds.join(b.fds)
	s.stack = mergeList(a.stack, b.stack, union)
	if len(a.stack) != len(b.stack) {
		s.stack = []value.Value{value.Unknown("the directory stack is not known")}
	}
	s.paramsOpen = a.paramsOpen || b.paramsOpen || len(a.params) != len(b.params)
	s.params, s.paramsAny = mergeList(a.params, b.params, union), nil
	if a.paramsOpen && b.paramsOpen && a.paramsAny != nil && b.paramsAny != nil {
		some := union(*a.paramsAny, *b.paramsAny)
		s.paramsAny = &some
	}
	s.funcs = mergeFuncs(a.funcs, b.funcs)
	s.aliases = mergeMap(a.aliases, b.aliases, union)
	s.hashed = mergeMap(a.hashed, b.hashed, union)
	s.disabled = mergeFlags(a.disabled, b.disabled)
	s.locals = mergeLocals(a.locals, b.locals)
	s.steers = mergeSteers(a.steers, b.steers)
	return s
}

func mergeVars(a, b *state, union func(x, y value.Value) value.Value) map[string]*variable {
	if len(a.vars) == 0 && len(b.vars) == 0 {
		return nil
	}
	out := make(map[string]*variable, len(a.vars)+len(b.vars))
	for name, x := range a.vars {
		out[name] = mergeVar(x, b.lookup(name), union)
	}
	for name, y := range b.vars {
		if _, ok := a.vars[name]; !ok {
			out[name] = mergeVar(a.lookup(name), y, union)
		}
	}
	return out
}

func mergeList(a, b []value.Value, union func(x, y value.Value) value.Value) []value.Value {
	n := min(len(a), len(b))
	if n == 0 {
		return nil
	}
	out := make([]value.Value, n)
	for i := range out {
		out[i] = union(a[i], b[i])
	}
	return out
}

func mergeMap(a, b map[string]value.Value, union func(x, y value.Value) value.Value) map[string]value.Value {
	if len(b) == 0 {
		return a
	}
	out := maps.Clone(b)
	for k, v := range a {
		if w, ok := out[k]; ok {
			v = union(v, w)
		}
		out[k] = v
	}
	return out
}

func mergeFlags(a, b map[string]bool) map[string]bool {
	for k := range b {
		a = with(a, k, true)
	}
	return a
}

// mergeLocals keeps true only for names that both sides declared.
func mergeLocals(a, b map[string]bool) map[string]bool {
	if len(a) == 0 && len(b) == 0 {
		return nil
	}
	out := map[string]bool{}
	for k := range a {
		out[k] = a[k] && b[k]
	}
	for k := range b {
		out[k] = a[k] && b[k]
	}
	return out
}

func mergeSteers(a, b []steer) []steer {
	out := a[:len(a):len(a)]
	for _, s := range b {
		if !containsSteer(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func containsSteer(list []steer, s steer) bool {
	for _, have := range list {
		if have == s {
			return true
		}
	}
	return false
}

// same reports whether two states are equal as far as loops are concerned.
func same(a, b *state) bool {
	if a == b {
		return true
	}
	if a.dead != b.dead || !value.Equal(a.cwd, b.cwd) || !value.Equal(a.oldpwd, b.oldpwd) ||
		!value.Equal(a.out, b.out) || a.opts != b.opts || a.paramsOpen != b.paramsOpen ||
		len(a.params) != len(b.params) || len(a.stack) != len(b.stack) ||
		len(a.funcs) != len(b.funcs) || len(a.aliases) != len(b.aliases) ||
		len(a.hashed) != len(b.hashed) || len(a.disabled) != len(b.disabled) ||
		len(a.steers) != len(b.steers) || !a.fds.same(b.fds) {
		return false
	}
	if (a.paramsAny == nil) != (b.paramsAny == nil) || a.paramsAny != nil && !value.Equal(*a.paramsAny, *b.paramsAny) {
		return false
	}
	for i := range a.params {
		if !value.Equal(a.params[i], b.params[i]) {
			return false
		}
	}
	for name, f := range a.funcs {
		if g, ok := b.funcs[name]; !ok || len(f.bodies) != len(g.bodies) {
			return false
		}
	}
	return sameVars(a, b) && sameVars(b, a)
}

func sameVars(a, b *state) bool {
	for name, x := range a.vars {
		y := b.lookup(name)
		if y == nil || !x.same(y) {
			return false
		}
	}
	return true
}
