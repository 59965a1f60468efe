package shell

import (
	"mayi/pkg/permissions"
	"mayi/pkg/shell/value"

	"mvdan.cc/sh/v3/syntax"
)

// command is one simple command, its words expanded.
type command struct {
	part   int
	argv   []value.Value
	words  []permissions.Word
	spans  []permissions.Span
	prefix []assignment
	node   syntax.Node
	span   permissions.Span
	// ownStdin: a redirection of its own feeds its standard input.
	ownStdin bool
	// whole: nothing has read a part of a line of its standard input before.
	whole bool
	// keepFds: its redirections stay (exec without a command).
	keepFds bool
}

// spanAt is where word i stands; the whole command where it has no place.
func (c *command) spanAt(i int) permissions.Span {
	if i >= 0 && i < len(c.spans) {
		return c.spans[i]
	}
	return c.span
}

// call walks a simple command.
func (w *walker) call(st *state, ce *syntax.CallExpr, redirs []*syntax.Redirect, n syntax.Node) (ok, fail *state) {
	if len(ce.Args) == 0 {
		return w.assignments(st, ce, redirs)
	}
	c := &command{part: w.newPart(n, permissions.Program), node: n, span: w.spanOf(n)}
	parent := w.parent
	w.parent = c.part
	nodes := make([]*syntax.Word, 0, len(ce.Args))
	c.argv = w.fields(st, ce.Args, &nodes)
	for _, as := range ce.Assigns {
		c.prefix = append(c.prefix, w.readAssign(st, as))
	}
	fds := st.fds
	w.redirects(st, redirs)
	c.ownStdin = st.fds.get(0).kind != fds.get(0).kind || !value.Equal(st.fds.get(0).val, fds.get(0).val)
	w.parent = parent
	c.spans = make([]permissions.Span, len(nodes))
	c.words = make([]permissions.Word, len(nodes))
	for i, word := range nodes {
		c.spans[i] = w.spanOf(word)
		c.words[i] = w.shown(c.argv[i], word)
	}
	w.an.Parts[c.part].Words = c.words
	before := fds
	ok, fail = w.run(st, c)
	if !c.keepFds {
		ok.fds, fail.fds = before, before
	}
	return ok, fail
}

// shown is a word as the rules and people see it.
func (w *walker) shown(v value.Value, word *syntax.Word) permissions.Word {
	if t, ok := v.Text(); ok {
		return permissions.Word{Text: t, Known: true}
	}
	out := permissions.Word{Text: v.String()}
	if word != nil && !v.HasGlob() {
		out.Text = w.text(word)
	}
	if texts, ok := v.Texts(); ok {
		out.OneOf = texts
	}
	return out
}

// showNode gives a part the words of its source, for keywords whose words are
// not expanded like a command's.
func (w *walker) showNode(part int, n syntax.Node) {
	t := w.text(n)
	first := 0
	for first < len(t) && t[first] != ' ' && t[first] != '\t' && t[first] != '\n' {
		first++
	}
	words := []permissions.Word{{Text: t[:first], Known: true}}
	if rest := t[first:]; len(rest) > 1 {
		words = append(words, permissions.Word{Text: rest[1:]})
	}
	w.an.Parts[part].Words = words
}

func (w *walker) setClass(part int, class permissions.Class) {
	if part >= 0 {
		w.an.Parts[part].Class = class
	}
}

// assignments is a command that only assigns.
func (w *walker) assignments(st *state, ce *syntax.CallExpr, redirs []*syntax.Redirect) (ok, fail *state) {
	fds := st.fds
	w.redirects(st, redirs)
	st.fds = fds
	for _, as := range ce.Assigns {
		w.assign(st, w.readAssign(st, as), as)
	}
	return st, st
}

// run decides what the command's name means and walks that.
func (w *walker) run(st *state, c *command) (ok, fail *state) {
	if len(c.argv) == 0 {
		// Everything expanded to nothing: the assignments stay.
		w.setClass(c.part, permissions.Free)
		for _, a := range c.prefix {
			w.assign(st, a, c.node)
		}
		return st, st
	}
	names, known := c.argv[0].Texts()
	if !known {
		return w.unknownCommand(st, c)
	}
	if len(names) == 1 {
		return w.named(st, c, names[0])
	}
	var end *state
	for i, name := range names {
		alt := *c
		alt.argv = append([]value.Value{value.Exact(name)}, c.argv[1:]...)
		alt.words = append([]permissions.Word{{Text: name, Known: true}}, c.words[1:]...)
		if i > 0 {
			alt.part = w.newPart(c.node, permissions.Program)
		}
		w.an.Parts[alt.part].Words = alt.words
		ok, fail := w.named(st.clone(), &alt, name)
		end = join(end, join(ok, fail))
	}
	return end, end
}

// unknownCommand is a command whose name nobody knows: it may be a program, a
// builtin or a function.
func (w *walker) unknownCommand(st *state, c *command) (ok, fail *state) {
	w.unreadAt(c.part, c.spanAt(0), "the name of the command is not known: "+why(c.argv[0]))
	consume(st)
	p := &w.an.Parts[c.part]
	p.ArgsMayRun, p.Opaque = true, permissions.OpaqueProgram
	w.effect(permissions.Effect{Kind: permissions.Exec, Origin: permissions.FromCommand, Part: c.part,
		Span: c.spanAt(0), Why: "the name of the command is not known"})
	w.guessPaths(st, c)
	w.write(st, 1, value.Unknown("the output of a command that is not known"))
	st.forget("a command that is not known may have changed it")
	st.cwd = value.Unknown("a command that is not known may have changed the directory")
	return st, st
}

// named walks a command whose name is known.
func (w *walker) named(st *state, c *command, name string) (ok, fail *state) {
	if text, is := st.aliases[name]; is && st.opts.possible(optExpandAliases) {
		w.unreadAt(c.part, c.spanAt(0), name+" is an alias")
		w.aliased(st, c, text)
	}
	if f, is := st.funcs[name]; is {
		return w.withPrefix(st, c, func(st *state) (*state, *state) { return w.callFunction(st, c, f) })
	}
	if isBuiltin(name) && !st.disabled[name] {
		if specialBuiltin(name) && st.opts.possible(optPosix) {
			for _, a := range c.prefix {
				w.assign(st, a, c.node)
			}
			return w.builtin(st, c, name)
		}
		return w.withPrefix(st, c, func(st *state) (*state, *state) { return w.builtin(st, c, name) })
	}
	return w.program(st, c, name)
}

// withPrefix runs f with the prefix assignments in force, and takes them back.
func (w *walker) withPrefix(st *state, c *command, f func(*state) (*state, *state)) (ok, fail *state) {
	if len(c.prefix) == 0 {
		return f(st)
	}
	before := st.clone()
	for _, a := range c.prefix {
		w.assign(st, a, c.node)
		if name, known := st.resolve(a.name); known {
			v := *st.lookup(name)
			v.exported, v.perhaps = true, false
			st.set(name, &v)
		}
	}
	ok, fail = f(st)
	restore := func(s *state) {
		for _, a := range c.prefix {
			if old, had := before.vars[a.name]; had {
				s.set(a.name, old)
			} else {
				s.unsetLocal(a.name)
			}
		}
		s.steers = dropSteers(s.steers, before.steers, c.prefix)
	}
	restore(ok)
	if fail != ok {
		restore(fail)
	}
	return ok, fail
}

// dropSteers takes out what the prefix assignments steered.
func dropSteers(now, before []steer, prefix []assignment) []steer {
	var out []steer
next:
	for _, s := range now {
		if !containsSteer(before, s) {
			for _, a := range prefix {
				if a.name == s.name {
					continue next
				}
			}
		}
		out = append(out, s)
	}
	return out
}
