package shell

import (
	"strings"

	"mayi/pkg/permissions"
	"mayi/pkg/shell/knowledge"
	"mayi/pkg/shell/value"
)

// isShell: the program reads the same language as this package.
func isShell(name string) bool {
	switch name {
	case "sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "rbash":
		return true
	}
	return false
}

// runs walks the commands that a program runs.
func (w *walker) runs(st *state, c *command, use knowledge.Use) {
	for _, r := range use.Runs {
		if !w.step() {
			return
		}
		child := w.child(st, c, use, r.Elsewhere)
		if r.MoreArgs || use.Stdin != knowledge.StdinUnused {
			child.fds = child.fds.with(0, flow{kind: flowUnknown, val: value.Unknown("what is left of standard input")})
		}
		saved := w.frame
		if r.Elsewhere != "" {
			w.elsewhere = r.Elsewhere
		}
		if r.Kind == knowledge.RunScript {
			w.runScript(child, c, r)
		} else {
			w.runWords(child, c, r)
		}
		w.frame = saved
		if child.fds.get(1).kind == flowCapture {
			// What wrappers print is what they run.
			st.out = value.Union(st.out, child.out)
		}
	}
}

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
	s.params, s.paramsOpen = nil, false
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

// runScript walks shell text that a program hands to a shell.
func (w *walker) runScript(st *state, c *command, r knowledge.Run) {
	if len(r.Args) > 0 {
		st.arg0 = r.Args[0].Single()
		st.params, st.paramsOpen = parameters(r.Args[1:])
		if r.Args[0].Many() {
			st.params, st.paramsOpen = nil, true
		}
	}
	if r.MoreArgs {
		st.params, st.paramsOpen = nil, true
	}
	span := c.span
	for i, v := range c.argv {
		if value.Equal(v, r.Script) && i > 0 {
			span = c.spanAt(i)
		}
	}
	texts, ok := r.Script.Texts()
	if !ok {
		w.unreadAt(c.part, span, "the text that "+r.Via+" runs is not known: "+why(r.Script))
		w.unknownEffects(c, span, "the text that "+r.Via+" runs is not known")
		return
	}
	w.childText(st, c, span, texts, r.Via)
}

// childText walks texts, one of which a shell of its own runs.
func (w *walker) childText(st *state, c *command, span permissions.Span, texts []string, via string) {
	saved := w.ends
	var end *state
	for _, t := range texts {
		w.ends = &ends{}
		alt := st.clone()
		w.nested(t, alt, c.part, span, via)
		end = join(end, join(alt, w.ends.exit))
	}
	w.ends = saved
	if end != nil {
		st.out = end.out
	}
}

// unknownEffects: what runs may do anything.
func (w *walker) unknownEffects(c *command, span permissions.Span, reason string) {
	w.effect(permissions.Effect{Kind: permissions.Exec, Origin: permissions.FromCommand, Part: c.part, Span: span, Why: reason})
}

// runWords walks a simple command that a program runs.
func (w *walker) runWords(st *state, c *command, r knowledge.Run) {
	if len(r.Words) == 0 {
		return
	}
	w.parent, w.via = c.part, r.Via
	in := &command{part: w.newPart(c.node, permissions.Program), node: c.node, span: c.span}
	in.argv = r.Words
	in.words = make([]permissions.Word, len(r.Words))
	in.spans = make([]permissions.Span, len(r.Words))
	for i, v := range r.Words {
		in.words[i] = w.shown(v, nil)
		in.spans[i] = c.span
		if at := r.At + i; r.At > 0 && at < len(c.spans) && value.Equal(v, c.argv[at]) {
			in.spans[i] = c.spans[at]
			in.words[i] = c.words[at]
		}
	}
	if r.At > 0 {
		in.span.Start = max(in.span.Start, in.spans[0].Start)
	}
	if r.MoreArgs && !endsUnknown(in.argv) {
		more := value.Unknown("words that " + r.Via + " adds").WithMany()
		in.argv = append(in.argv[:len(in.argv):len(in.argv)], more)
		in.words = append(in.words, permissions.Word{Text: "…"})
		in.spans = append(in.spans, c.span)
	}
	w.an.Parts[in.part].Words = in.words
	w.an.Parts[in.part].Span = in.span
	names, known := in.argv[0].Texts()
	if !known {
		w.unknownCommand(st, in)
		return
	}
	for i, name := range names {
		alt := *in
		if i > 0 {
			alt.part = w.newPart(c.node, permissions.Program)
			w.an.Parts[alt.part].Words = in.words
		}
		w.executed(st, &alt, name)
	}
}

func endsUnknown(argv []value.Value) bool {
	_, unknown := argv[len(argv)-1].HasUnknown()
	return unknown
}

// executed is a program that another program starts: the name is looked up on
// disk, so that no builtin or function stands in for it. Those with a program
// of the same name that has no effect need no rule either.
func (w *walker) executed(st *state, c *command, name string) {
	base := name
	if b, system := systemProgram(name); system {
		base = b
	}
	switch base {
	case "echo", "printf", "test", "[", "true", "false", "pwd":
		w.setClass(c.part, permissions.Free)
		if w.steering(st, c, base); base == "echo" {
			w.write(st, 1, echoText(c.argv[1:]))
			return
		}
		w.write(st, 1, value.Unknown("the output of "+base))
		return
	}
	w.program(st, c, name)
}

// inline is program text in the arguments.
func (w *walker) inline(st *state, c *command, use knowledge.Use) {
	for _, in := range use.Inline {
		if in.Read {
			continue
		}
		p := &w.an.Parts[c.part]
		p.Opaque = max(p.Opaque, permissions.OpaqueInline)
		if _, unknown := in.Code.HasUnknown(); unknown || in.Code.Many() {
			w.unreadAt(c.part, c.span, "the "+in.Language+" program is not known: "+why(in.Code))
		}
	}
}

// standardInput handles programs that run what they read.
func (w *walker) standardInput(st *state, c *command, name string, use knowledge.Use) {
	f := st.fds.get(0)
	switch use.Stdin {
	case knowledge.StdinScript:
		w.runsStream(st, c, name, -1, f)
	case knowledge.StdinCode:
		w.codeFromInput(st, c, name, f)
	case knowledge.StdinPaths:
		w.pathsFromInput(st, c, name, f)
	}
}

// runsStream is a shell, or another interpreter, that runs what comes in.
func (w *walker) runsStream(st *state, c *command, name string, arg int, f flow) {
	if !isShell(name) {
		w.codeFromInput(st, c, name, f)
		return
	}
	p := &w.an.Parts[c.part]
	if f.kind == flowFile {
		p.Opaque = max(p.Opaque, permissions.OpaqueProgram)
		w.runsFile(st, c, arg, f.val, name, false)
		return
	}
	texts, ok := f.val.Texts()
	if f.kind != flowText || !ok {
		reason := "it runs what comes from " + source(f)
		if f.kind == flowText {
			reason += ": " + why(f.val)
		}
		w.unreadAt(c.part, c.span, reason)
		w.unknownEffects(c, c.span, reason)
		return
	}
	child := w.child(st, c, knowledge.Use{}, "")
	child.fds = child.fds.with(0, flow{kind: flowUnknown})
	child.params, child.paramsOpen = nil, true
	w.childText(child, c, c.span, texts, name+" reading standard input")
	if child.fds.get(1).kind == flowCapture {
		st.out = child.out
	}
}

// codeFromInput is an interpreter of another language that runs what comes in.
func (w *walker) codeFromInput(st *state, c *command, name string, f flow) {
	p := &w.an.Parts[c.part]
	if f.kind == flowFile {
		p.Opaque = max(p.Opaque, permissions.OpaqueProgram)
		w.runsFile(st, c, -1, f.val, name, false)
		return
	}
	p.Opaque = max(p.Opaque, permissions.OpaqueInline)
	if _, exact := f.val.Texts(); f.kind != flowText || !exact {
		w.unreadAt(c.part, c.span, "it runs what comes from "+source(f))
		w.unknownEffects(c, c.span, "it runs what comes from "+source(f))
	}
}

// pathsFromInput is a program that reads names of files.
func (w *walker) pathsFromInput(st *state, c *command, name string, f flow) {
	acc := access{kind: permissions.Read, origin: permissions.FromCommand, part: c.part, span: c.span, program: name,
		path: value.Unknown("names of files come from " + source(f))}
	if t, ok := f.val.Text(); ok && f.kind == flowText && !strings.Contains(t, `\`) {
		list := strings.FieldsFunc(t, func(r rune) bool { return r == '\n' || r == 0 })
		if len(list) <= value.MaxAlternatives {
			for _, p := range list {
				acc.path, acc.may = value.Exact(p), true
				w.access(st, acc)
			}
			return
		}
	}
	w.access(st, acc)
}

// printed is what a program is known to write to standard output.
func (w *walker) printed(st *state, c *command, name string, use knowledge.Use) value.Value {
	if len(use.Runs) > 0 {
		return value.Value{}
	}
	if v, ok := outputOf(st, c, name); ok {
		return v
	}
	return value.Unknown("the output of " + name)
}
