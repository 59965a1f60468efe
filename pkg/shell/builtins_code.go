package shell

import (
	"strings"

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

// source reads a file as commands of this shell.
func (w *walker) source(st *state, c *command) (ok, fail *state) {
	if len(c.argv) < 2 {
		return st, st
	}
	at := 1
	if t, exact := c.argv[1].Text(); exact && t == "--" && len(c.argv) > 2 {
		at = 2
	}
	file := c.argv[at]
	if f, stream := w.standardStream(st, file); stream {
		return w.sourceStream(st, c, at, f)
	}
	w.setClass(c.part, permissions.Program)
	p := &w.an.Parts[c.part]
	p.Opaque, p.Name = permissions.OpaqueProgram, 1
	if _, unknown := file.HasUnknown(); unknown {
		w.unreadAt(c.part, c.spanAt(at), "the file that "+c.argv[0].String()+" runs is not known: "+why(file))
	}
	name, _ := c.argv[0].Text()
	w.runsFile(st, c, at, file.Single(), name, true)
	st.forget("the file that was read may have changed it")
	w.write(st, 1, value.Unknown("the output of a file that was run"))
	return st, st
}

// sourceStream reads commands from a descriptor: a here-document, a pipe.
func (w *walker) sourceStream(st *state, c *command, at int, f flow) (ok, fail *state) {
	w.setClass(c.part, permissions.Wrapper)
	text := value.Unknown("what comes from " + source(f))
	if f.kind == flowText {
		text = f.val
	}
	params, open := st.params, st.paramsOpen
	if len(c.argv) > at+1 {
		st.params, st.paramsOpen = parameters(c.argv[at+1:])
	}
	w.codeValue(st, c, at, text, "source")
	st.params, st.paramsOpen = params, open
	return st, st
}

// runsFile emits the effects of running a file as code. A name without a
// slash is looked up in PATH first, by source.
func (w *walker) runsFile(st *state, c *command, at int, file value.Value, program string, lookup bool) {
	for _, kind := range [...]permissions.Kind{permissions.Exec, permissions.Read} {
		w.access(st, access{kind: kind, path: file, origin: permissions.FromCommand, part: c.part, span: c.spanAt(at),
			program: program})
	}
}

// trap keeps text to run later. It is walked at once and again when the
// script ends, with what the variables are by then.
func (w *walker) trap(st *state, c *command) {
	at, known := letters(c.argv, "", func(byte, value.Value, int) {})
	if !known && at >= len(c.argv) {
		return
	}
	if at >= len(c.argv)-1 {
		return // listing, or resetting one signal
	}
	v := c.argv[at]
	if t, exact := v.Text(); exact && (t == "-" || t == "" || isDigits(t)) {
		return
	}
	sub := st.clone()
	saved := w.ends
	w.ends = &ends{}
	w.codeValue(sub, c, at, v, "trap")
	w.ends = saved
	t := trap{part: c.part, span: c.spanAt(at), text: v, st: sub}
	for _, sig := range c.argv[at+1:] {
		name, exact := sig.Text()
		t.anytime = t.anytime || !exact || name != "EXIT" && name != "0"
	}
	w.traps = append(w.traps, t)
}

// trap is text that a trap runs later.
type trap struct {
	part int
	span permissions.Span
	text value.Value
	st   *state
	// anytime: a signal, not only the end, makes it run.
	anytime bool
}

// runTraps walks the texts of traps in the state at the end, or, where they may
// run at any time, with everything unknown that changed since.
func (w *walker) runTraps(st *state) {
	for i := 0; i < len(w.traps) && i < maxScripts; i++ {
		t := w.traps[i]
		texts, ok := t.text.Texts()
		if !ok || same(t.st, st) && !st.dead {
			continue
		}
		for _, text := range texts {
			sub := st.clone()
			sub.dead = false
			if t.anytime {
				sub = widen(t.st, sub)
			}
			w.nested(text, sub, t.part, t.span, "trap")
		}
	}
}

// alias: its text is shown as the command that it stands for.
func (w *walker) alias(st *state, c *command) {
	for i, v := range c.argv[1:] {
		texts, ok := v.Texts()
		if !ok {
			w.unreadAt(c.part, c.spanAt(i+1), "the text of an alias is not known: "+why(v))
			continue
		}
		for _, t := range texts {
			name, text, has := strings.Cut(t, "=")
			if !has || name == "" {
				continue
			}
			st.aliases = with(st.aliases, name, value.Exact(text))
			sub := st.clone()
			sub.params, sub.paramsOpen = nil, true
			sub.aliases = nil
			if strings.TrimSpace(text) != "" {
				w.nested(text, sub, c.part, c.spanAt(i+1), "alias "+name)
			}
		}
	}
}

func (w *walker) unalias(st *state, c *command) {
	for _, v := range c.argv[1:] {
		if t, ok := v.Text(); ok && t == "-a" {
			st.aliases = nil
		} else if ok {
			st.aliases = without(st.aliases, t)
		}
	}
}

// aliased walks an alias's text with the words that follow.
func (w *walker) aliased(st *state, c *command, text value.Value) {
	texts, ok := text.Texts()
	if !ok {
		return
	}
	for _, t := range texts {
		var rest strings.Builder
		for i := 1; i < len(c.argv); i++ {
			rest.WriteByte(' ')
			arg, exact := c.argv[i].Text()
			if !exact {
				rest.WriteString(`"$mayi_unknown_word"`)
				continue
			}
			rest.WriteString("'" + strings.ReplaceAll(arg, "'", `'\''`) + "'")
		}
		sub := st.clone()
		sub.aliases = nil
		w.nested(t+rest.String(), sub, c.part, c.span, "an alias")
	}
}

// hash -p binds a name to a file.
func (w *walker) hash(st *state, c *command) {
	var path value.Value
	bound := false
	at, known := letters(c.argv, "p", func(l byte, v value.Value, _ int) {
		switch l {
		case 'p':
			path, bound = v, true
		case 'r':
			st.hashed = nil
		}
	})
	if !known && at < len(c.argv) && couldBe(c.argv[at], "-p") {
		w.unreadAt(c.part, c.spanAt(at), "hash may bind a program's name: "+why(c.argv[at]))
		return
	}
	if !bound {
		return
	}
	for i, v := range c.argv[at:] {
		name, ok := v.Text()
		if !ok {
			w.unreadAt(c.part, c.spanAt(at+i), "hash binds a name that is not known: "+why(v))
			continue
		}
		st.hashed = with(st.hashed, name, path)
	}
}

// enable switches builtins off, or loads new ones from a file.
func (w *walker) enable(st *state, c *command) {
	off := false
	at, known := letters(c.argv, "f", func(l byte, v value.Value, i int) {
		switch l {
		case 'n':
			off = true
		case 'f':
			w.setClass(c.part, permissions.Program)
			w.unreadAt(c.part, c.spanAt(i), "enable -f loads code into the shell")
			w.runsFile(st, c, i, v, "enable", false)
		}
	})
	if !known && at < len(c.argv) {
		w.unreadAt(c.part, c.spanAt(at), "what enable switches is not known: "+why(c.argv[at]))
	}
	for _, v := range c.argv[min(at, len(c.argv)):] {
		name, ok := v.Text()
		switch {
		case !ok:
			w.unreadAt(c.part, c.span, "what enable switches is not known: "+why(v))
		case off:
			st.disabled = with(st.disabled, name, true)
		default:
			st.disabled = without(st.disabled, name)
		}
	}
}

// history reads and writes its file.
func (w *walker) history(st *state, c *command) {
	kinds := []permissions.Kind{}
	at, known := letters(c.argv, "d", func(l byte, _ value.Value, _ int) {
		switch l {
		case 'a', 'w':
			kinds = append(kinds, permissions.FSWrite)
		case 'r', 'n':
			kinds = append(kinds, permissions.Read)
		}
	})
	if !known && at < len(c.argv) && couldBe(c.argv[at], "-w") {
		kinds = append(kinds, permissions.FSWrite, permissions.Read)
	}
	w.write(st, 1, value.Unknown("the history"))
	if len(kinds) == 0 {
		return
	}
	file, i := value.Unknown("the history file"), -1
	if at < len(c.argv) {
		file, i = c.argv[at].Single(), at
	} else if v := st.lookup("HISTFILE"); !v.never && !v.unset {
		file = v.val
	} else if home := st.lookup("HOME"); !home.never {
		file = value.Concat(home.val, value.Exact("/.bash_history"))
	}
	for _, k := range kinds {
		w.access(st, access{kind: k, path: file, origin: permissions.FromRedirect, part: c.part, span: c.spanAt(i)})
	}
}

// fc runs an editor and then what was edited, or an old command.
func (w *walker) fc(st *state, c *command) {
	list := false
	letters(c.argv, "e", func(l byte, _ value.Value, _ int) { list = list || l == 'l' })
	if list {
		w.write(st, 1, value.Unknown("the history"))
		return
	}
	w.setClass(c.part, permissions.Program)
	w.unreadAt(c.part, c.span, "fc runs commands from the history")
	st.forget("fc may have changed it")
}

// completion is bind, complete, compgen and compopt: some options hold commands.
func (w *walker) completion(st *state, c *command, name string) {
	values := "ACFGPSWoX"
	if name == "bind" {
		values = "fmqrux"
	}
	at, known := letters(c.argv, values, func(l byte, v value.Value, i int) {
		sub := st.clone()
		switch {
		case name == "bind" && l == 'x':
			text := v
			if t, ok := v.Text(); ok {
				if _, cmd, has := strings.Cut(t, ":"); has {
					text = value.Exact(strings.Trim(strings.TrimSpace(cmd), `"'`))
				}
			}
			w.codeValue(sub, c, i, text, "bind -x")
		case name == "bind" && l == 'f':
			w.access(st, access{kind: permissions.Read, path: v, origin: permissions.FromRedirect, part: c.part, span: c.spanAt(i)})
		case name != "bind" && (l == 'C' || l == 'F'):
			w.codeValue(sub, c, i, v, name+" -"+string(l))
		case name != "bind" && l == 'W':
			w.evalPrompt(sub, v, c.node)
		case name != "bind" && (l == 'G' || l == 'A' || l == 'f' || l == 'd'):
			path := value.Exact(".")
			if l == 'G' {
				path = value.Unknown("a pattern that " + name + " expands")
			}
			w.access(st, access{kind: permissions.Read, path: path, origin: permissions.FromRedirect, part: c.part, span: c.spanAt(i)})
		}
	})
	if !known && at < len(c.argv) {
		w.unreadAt(c.part, c.spanAt(at), "what "+name+" is told is not known: "+why(c.argv[at]))
	}
	if name == "compgen" && at < len(c.argv) {
		path := value.Concat(c.argv[at].Single(), value.Pattern("*"))
		w.access(st, access{kind: permissions.Read, path: path, origin: permissions.FromRedirect, part: c.part, span: c.spanAt(at), may: true})
	}
	w.write(st, 1, value.Unknown("the output of "+name))
}
