package shell

import (
	"mayi/pkg/permissions"
	"mayi/pkg/shell/knowledge"
	"mayi/pkg/shell/value"
)

// runs walks the commands that a program runs.
func (w *walker) runs(st *state, c *command, use knowledge.Use) {
	for _, r := range use.Runs {
		if !w.step() {
			return
		}
		child := w.child(st, c, use, r.Elsewhere)
		more := r.MoreArgs
		if use.Stdin == knowledge.StdinArgs {
			r, _ = w.fromInput(st, c, r, use.Split)
		}
		if more || use.Stdin != knowledge.StdinUnused {
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

// runScript walks shell text that a program hands to a shell.
func (w *walker) runScript(st *state, c *command, r knowledge.Run) {
	if len(r.Args) > 0 {
		st.arg0 = r.Args[0].Single()
		st.setParams(r.Args[1:])
		if r.Args[0].Many() {
			st.openParams()
		}
	}
	if r.MoreArgs {
		st.openParams()
	}
	span := c.span
	for i, v := range c.argv {
		if value.Equal(v, r.Script) && i > 0 {
			span = c.spanAt(i)
		}
	}
	texts, ok := r.Script.Texts()
	if len(c.argv) > 0 {
		name, _ := c.argv[0].Text()
		w.dialect(st, c, span, name, texts)
	}
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
	// Words that the program adds or takes from elsewhere do not stand there.
	w.an.Parts[in.part].Within = w.fixed || r.At == 0 || r.MoreArgs
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
			w.write(st, 1, echoText(c.argv[1:], options{}))
			return
		}
		w.write(st, 1, value.Unknown("the output of "+base))
		return
	}
	w.program(st, c, name)
}
