package shell

import (
	"mayi/pkg/permissions"
	"mayi/pkg/shell/value"

	"mvdan.cc/sh/v3/syntax"
)

// argNode is the node of word i of a command.
func argNode(c *command, i int) syntax.Node {
	if ce, ok := c.node.(*syntax.Stmt); ok {
		if call, ok := ce.Cmd.(*syntax.CallExpr); ok && i < len(call.Args) && len(call.Args) == len(c.argv) {
			return call.Args[i]
		}
	}
	return c.node
}

// codeValue walks text that the shell runs as commands, in this very shell.
func (w *walker) codeValue(st *state, c *command, i int, v value.Value, via string) {
	texts, ok := v.Texts()
	if !ok {
		w.unreadAt(c.part, c.spanAt(i), "the text that "+via+" runs is not known: "+why(v))
		st.forget("commands that are not known may have changed it")
		st.cwd = value.Unknown("commands that are not known may have changed the directory")
		return
	}
	if len(texts) == 1 {
		w.nested(texts[0], st, c.part, c.spanAt(i), via)
		return
	}
	var end *state
	for _, t := range texts {
		alt := st.clone()
		w.nested(t, alt, c.part, c.spanAt(i), via)
		end = join(end, alt)
	}
	*st = *end
}

// eval joins its words and runs them here.
func (w *walker) eval(st *state, c *command) (ok, fail *state) {
	args := c.argv[1:]
	if len(args) > 0 {
		if t, exact := args[0].Text(); exact && t == "--" {
			args = args[1:]
		}
	}
	if len(args) == 0 {
		return st, st
	}
	w.setClass(c.part, permissions.Wrapper)
	var text value.Value
	for i, v := range args {
		if v.Many() || v.HasGlob() {
			text = value.Unknown(why(v))
			break
		}
		if i > 0 {
			text = value.Concat(text, value.Exact(" "))
		}
		text = value.Concat(text, v)
	}
	at := 1
	if len(args) > 1 {
		at = -1
	}
	w.codeValue(st, c, at, text, "eval")
	return st, st
}

// execBuiltin is exec: with a command it replaces the shell, without one its
// redirections stay.
func (w *walker) execBuiltin(st *state, c *command) (ok, fail *state) {
	at, known := letters(c.argv, "a", func(byte, value.Value, int) {})
	if at >= len(c.argv) {
		c.keepFds = true
		return st, st
	}
	if !known {
		w.unreadAt(c.part, c.spanAt(at), "what exec runs is not known: "+why(c.argv[at]))
	}
	ok, fail = w.inner(st, c, at, "exec", func(st *state, in *command, name string) (*state, *state) {
		return w.program(st, in, name)
	})
	end := join(ok, fail)
	collect(&w.ends.exit, end)
	end.dead = true
	return end, end
}

// bypass is command and builtin, which skip functions.
func (w *walker) bypass(st *state, c *command, name string) (ok, fail *state) {
	describe := false
	at := 1
	known := true
	if name == "command" {
		at, known = letters(c.argv, "", func(l byte, _ value.Value, _ int) {
			describe = describe || l == 'v' || l == 'V'
		})
	} else if len(c.argv) > 1 {
		if t, exact := c.argv[1].Text(); exact && t == "--" {
			at = 2
		}
	}
	if at >= len(c.argv) || describe {
		w.write(st, 1, value.Unknown("where a command is found"))
		return st, st
	}
	if !known && c.argv[at].Many() {
		w.unreadAt(c.part, c.spanAt(at), "what "+name+" runs is not known: "+why(c.argv[at]))
	}
	return w.inner(st, c, at, name, func(st *state, in *command, to string) (*state, *state) {
		if isBuiltin(to) && !st.disabled[to] {
			return w.builtin(st, in, to)
		}
		if name == "builtin" {
			return st, st
		}
		return w.program(st, in, to)
	})
}

// inner walks the rest of a command's words as a command of its own.
func (w *walker) inner(st *state, c *command, at int, via string, run func(*state, *command, string) (*state, *state)) (ok, fail *state) {
	w.setClass(c.part, permissions.Wrapper)
	w.an.Parts[c.part].InnerAt = at
	saved := w.frame
	w.parent, w.via = c.part, via
	in := &command{part: w.newPart(c.node, permissions.Program), node: c.node, span: c.span, ownStdin: c.ownStdin}
	w.frame = saved
	in.argv, in.words, in.spans = c.argv[at:], c.words[at:], c.spans[at:]
	in.prefix = c.prefix
	if len(in.spans) > 0 {
		in.span.Start = max(in.span.Start, in.spans[0].Start)
	}
	w.an.Parts[in.part].Words = in.words
	w.an.Parts[in.part].Span = in.span
	names, known := in.argv[0].Texts()
	if !known {
		return w.unknownCommand(st, in)
	}
	if len(names) == 1 {
		ok, fail = run(st, in, names[0])
		c.keepFds = in.keepFds
		return ok, fail
	}
	var end *state
	for _, name := range names {
		o, f := run(st.clone(), in, name)
		end = join(end, join(o, f))
	}
	return end, end
}
