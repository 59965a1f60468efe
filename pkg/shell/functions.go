package shell

import (
	"mayi/pkg/permissions"
	"mayi/pkg/shell/value"

	"mvdan.cc/sh/v3/syntax"
)

// maxCalls bounds functions that call functions, maxSelf those that call
// themselves.
const (
	maxCalls = 24
	maxSelf  = 2
)

// function is what a name that was defined as a function may run.
type function struct {
	name   string
	bodies []*body
	// maybe: it may not be defined, so that the program of the name runs.
	maybe    bool
	exported bool
}

// body is one definition, with the text that it stands in.
type body struct {
	name  string
	stmt  *syntax.Stmt
	frame frame
	span  permissions.Span
}

func mergeFuncs(a, b map[string]*function) map[string]*function {
	if len(a) == 0 && len(b) == 0 {
		return nil
	}
	out := make(map[string]*function, len(a)+len(b))
	for name, f := range a {
		g, ok := b[name]
		if !ok {
			c := *f
			c.maybe = true
			out[name] = &c
			continue
		}
		out[name] = mergeFunc(f, g)
	}
	for name, g := range b {
		if _, ok := a[name]; !ok {
			c := *g
			c.maybe = true
			out[name] = &c
		}
	}
	return out
}

func mergeFunc(f, g *function) *function {
	if f == g {
		return f
	}
	c := *f
	c.maybe, c.exported = f.maybe || g.maybe, f.exported || g.exported
	c.bodies = append([]*body(nil), f.bodies...)
next:
	for _, b := range g.bodies {
		for _, have := range c.bodies {
			if have.stmt == b.stmt {
				continue next
			}
		}
		c.bodies = append(c.bodies, b)
	}
	return &c
}

// declare defines a function.
func (w *walker) declare(c *syntax.FuncDecl, st *state) {
	if c.Name == nil || c.Body == nil {
		w.unread(c, "a function without a name")
		return
	}
	b := &body{name: c.Name.Value, stmt: c.Body, frame: w.frame, span: w.spanOf(c)}
	f := &function{name: b.name, bodies: []*body{b}}
	if st.opts.possible(optAllexport) {
		f.exported = true
	}
	st.funcs = with(st.funcs, b.name, f)
	for _, have := range w.defined {
		if have.stmt == b.stmt {
			return
		}
	}
	w.defined = append(w.defined, b)
}

// callFunction walks the bodies that the call may run.
func (w *walker) callFunction(st *state, c *command, f *function) (ok, fail *state) {
	w.setClass(c.part, permissions.Function)
	var end *state
	for _, b := range f.bodies {
		end = join(end, w.runBody(st.clone(), b, c.argv[1:], c.part, c.span, "function "+f.name))
	}
	if f.maybe {
		o, _ := w.program(st.clone(), c, f.name)
		end = join(end, o)
	}
	*st = *end
	return st, st
}

// runBody walks one body with its parameters and takes its locals back.
func (w *walker) runBody(st *state, b *body, args []value.Value, part int, span permissions.Span, via string) *state {
	again := 0
	for _, have := range w.calls {
		if have.stmt == b.stmt {
			again++
		}
	}
	if again >= maxSelf || len(w.calls) >= maxCalls {
		w.unreadAt(part, span, "the function "+b.name+" calls itself too deeply to follow")
		st.forget("a function that calls itself may have changed it")
		return st
	}
	if w.called == nil {
		w.called = map[*syntax.Stmt]bool{}
	}
	w.called[b.stmt] = true
	before := *st
	st.shared, before.shared = true, true
	st.setParams(args)
	st.locals, st.inFunc = nil, true

	saved, savedEnds := w.frame, w.ends
	w.calls = append(w.calls, b)
	w.ends = &ends{}
	elsewhere := w.elsewhere
	w.frame = b.frame
	w.parent, w.via, w.elsewhere, w.tested = part, via, elsewhere, saved.tested
	end := w.stmtList([]*syntax.Stmt{b.stmt}, st)
	end = join(end, w.ends.ret)
	exit := w.ends.exit
	w.frame, w.ends = saved, savedEnds
	w.calls = w.calls[:len(w.calls)-1]
	if exit != nil {
		w.ends.exit = join(w.ends.exit, exit)
	}
	end = end.clone()
	for name, certain := range end.locals {
		old, had := before.vars[name]
		switch {
		case !certain:
			end.set(name, mergeVar(end.lookup(name), before.lookup(name), value.Union))
		case had:
			end.set(name, old)
		default:
			end.unsetLocal(name)
		}
	}
	end.params, end.paramsOpen, end.paramsAny = before.params, before.paramsOpen, before.paramsAny
	end.locals, end.inFunc = before.locals, before.inFunc
	return end
}

// unsetLocal takes a name out of the map, so that the environment's value
// shows again.
func (s *state) unsetLocal(name string) {
	s.set(name, nil)
	delete(s.vars, name)
}

// setParams sets the positional parameters to words, of which some may be any
// number of words.
func (st *state) setParams(args []value.Value) {
	st.params, st.paramsOpen, st.paramsAny = args, false, nil
	for _, a := range args {
		if a.Many() || a.HasGlob() {
			all := args[0].Single()
			for _, other := range args[1:] {
				all = value.Union(all, other.Single())
			}
			st.params, st.paramsOpen, st.paramsAny = nil, true, &all
			return
		}
	}
}

// someParam is any one of the positional parameters.
func (st *state) someParam() value.Value {
	if st.paramsOpen && st.paramsAny != nil {
		return *st.paramsAny
	}
	return value.Unknown("a parameter")
}

// openParams: nothing is known about the positional parameters.
func (st *state) openParams() { st.params, st.paramsOpen, st.paramsAny = nil, true, nil }

// uncalled walks the functions that nothing called, so that what they hold is
// seen.
func (w *walker) uncalled(st *state) {
	for i := 0; i < len(w.defined); i++ {
		b := w.defined[i]
		if w.called[b.stmt] {
			continue
		}
		sub := st.clone()
		sub.dead = false
		w.runBody(sub, b, []value.Value{value.Unknown("a parameter").WithMany()}, -1, b.span, "function "+b.name+", which is not called here")
	}
}
