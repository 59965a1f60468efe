package shell

import (
	"strings"

	"mayi/pkg/permissions"
	"mayi/pkg/shell/knowledge"
	"mayi/pkg/shell/value"
)

// program walks a command that starts a program.
func (w *walker) program(st *state, c *command, name string) (ok, fail *state) {
	w.setClass(c.part, permissions.Program)
	if strings.HasPrefix(name, "=") && len(name) > 1 {
		w.unreadAt(c.part, c.spanAt(0), "zsh reads "+name+" as a program's path")
	}
	argv := c.argv
	if base, system := systemProgram(name); system {
		argv = append([]value.Value{value.Exact(base)}, c.argv[1:]...)
		w.canon(c, base)
		name = base
	}
	if path, bound := st.hashed[name]; bound {
		w.unreadAt(c.part, c.spanAt(0), "hash binds "+name+" to another file")
		w.runsFile(st, c, 0, path, name, false)
	}
	if strings.Contains(name, "/") {
		w.steering(st, c, "")
		return w.foreign(st, c, name)
	}
	use := w.a.kb.Describe(known(argv))
	if !use.Known {
		w.steering(st, c, "")
		return w.unknownProgram(st, c, name)
	}
	family := ""
	if plain(use) {
		family = name
	}
	w.use(st, c, name, use, w.steering(st, c, family))
	return st, st
}

// known replaces words that may be several by text that is not known at all,
// so that no reader trusts their beginning.
func known(argv []value.Value) []value.Value {
	for i, v := range argv {
		if !v.Many() {
			continue
		}
		out := append([]value.Value(nil), argv...)
		for k := i; k < len(out); k++ {
			if out[k].Many() {
				out[k] = value.Unknown(why(out[k]))
			}
		}
		return out
	}
	return argv
}

// canon gives the part the spelling without the system's directory.
func (w *walker) canon(c *command, base string) {
	words := append([]permissions.Word(nil), c.words...)
	words[0] = permissions.Word{Text: base, Known: true}
	w.an.Parts[c.part].Canon = words
}

// plain: the program runs no other program and no code.
func plain(use knowledge.Use) bool {
	if len(use.Runs) > 0 || len(use.Inline) > 0 || use.Workspace != "" || use.Executes != "" {
		return false
	}
	switch use.Stdin {
	case knowledge.StdinScript, knowledge.StdinCode, knowledge.StdinArgs:
		return false
	}
	for _, a := range use.Accesses {
		if a.Kind == knowledge.RunFile {
			return false
		}
	}
	return true
}

// ofOthers: the variable is one that only another program, and what it starts,
// looks at. plain is the name of a program that starts nothing.
func ofOthers(variable, plain string) bool {
	switch {
	case plain == "":
		return false
	case strings.HasPrefix(variable, "GIT_"):
		return plain != "git"
	case strings.HasPrefix(variable, "NODE_"):
		return plain != "node"
	case strings.HasPrefix(variable, "PYTHON"):
		return !strings.HasPrefix(plain, "python")
	}
	return false
}

// steering reports, at the part, variables that steer what the program does.
// It returns whether its traffic goes elsewhere.
func (w *walker) steering(st *state, c *command, plain string) (network bool) {
	for _, a := range c.prefix {
		kind, reason := w.envEffect(st, a.name, a.val)
		if kind == knowledge.SteersNothing || ofOthers(a.name, plain) {
			continue
		}
		network = network || kind == knowledge.SteersNetwork
		w.unreadAt(c.part, c.span, "the variable "+reason)
	}
	for _, s := range st.steers {
		if ofOthers(s.name, plain) {
			continue
		}
		network = network || s.network
		w.unreadAt(c.part, c.span, "the variable "+s.why)
	}
	return network
}

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
		_, rest, has := strings.Cut(head, "=")
		if !has {
			return v, false
		}
		tail := afterEqual(v)
		return tail, looksLikePath(rest)
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

// use turns what the knowledge base says into parts and effects.
func (w *walker) use(st *state, c *command, name string, use knowledge.Use, steered bool) {
	p := &w.an.Parts[c.part]
	if use.Stdin != knowledge.StdinUnused || !plain(use) {
		consume(st)
	}
	p.Name = max(use.Name, 1)
	if use.Canon != nil {
		w.canonWords(p, c, use.Canon)
	}
	for _, u := range use.Unread {
		w.unreadAt(c.part, c.span, u)
	}
	for _, a := range use.Accesses {
		w.fileAccess(st, c, name, a)
	}
	for _, n := range use.Net {
		w.network(c, n, steered)
	}
	w.inline(st, c, use)
	w.standardInput(st, c, name, use)
	w.runs(st, c, use)
	p = &w.an.Parts[c.part]
	switch {
	case use.Workspace != "":
		p.Opaque = max(p.Opaque, permissions.OpaqueProgram)
		w.exec(c, name, use.Workspace)
	case use.Executes != "":
		w.exec(c, name, use.Executes)
	case p.Opaque != permissions.Clear || len(p.Unread) > 0:
		w.exec(c, name, "")
	}
	if use.State {
		w.effect(permissions.Effect{Kind: permissions.StateWrite, Origin: permissions.FromCommand, Part: c.part,
			Span: c.span, Program: name, Certainty: permissions.Exact})
	}
	if use.Transparent && len(use.Unread) == 0 {
		p.Class, p.InnerAt = permissions.Wrapper, use.InnerAt
	} else if use.InnerAt > 0 {
		p.InnerAt = use.InnerAt
	}
	w.write(st, 1, w.printed(st, c, name, use))
}

// canonWords is the spelling without options that change nothing.
func (w *walker) canonWords(p *permissions.Part, c *command, keep []int) {
	from := c.words
	if p.Canon != nil {
		from = p.Canon
	}
	words := make([]permissions.Word, 0, len(keep))
	for _, i := range keep {
		if i >= 0 && i < len(from) {
			words = append(words, from[i])
		}
	}
	p.Canon = words
}

// fileAccess emits one access of a program.
func (w *walker) fileAccess(st *state, c *command, name string, a knowledge.Access) {
	if f, stream := w.standardStream(st, a.Path); stream {
		if a.Kind == knowledge.RunFile {
			w.runsStream(st, c, name, a.Arg, f)
			return
		}
		if f.kind == flowText || f.kind == flowUnknown {
			return // a pipe of this command line
		}
	}
	acc := access{origin: permissions.FromCommand, part: c.part, span: c.spanAt(a.Arg), path: a.Path.Single(), dir: a.Dir,
		recursive: a.Recursive, may: a.May, program: name}
	switch a.Kind {
	case knowledge.ReadFile, knowledge.ListDir:
		acc.kind = permissions.Read
	case knowledge.WriteFile, knowledge.DeleteFile:
		acc.kind = permissions.FSWrite
	case knowledge.MakeLink:
		acc.kind = permissions.FSWrite
		t, ok := a.Target.Text()
		if !ok {
			acc.path, acc.why = value.Unknown("where the link points is not known"), ""
			w.unreadAt(c.part, c.spanAt(a.Arg), "where the link points is not known: "+why(a.Target))
		}
		acc.link = t
	case knowledge.RunFile:
		w.an.Parts[c.part].Opaque = max(w.an.Parts[c.part].Opaque, permissions.OpaqueProgram)
		if _, unknown := a.Path.HasUnknown(); unknown {
			w.unreadAt(c.part, c.spanAt(a.Arg), "the file that "+name+" runs is not known: "+why(a.Path))
		}
		acc.kind = permissions.Exec
		w.access(st, acc)
		acc.kind = permissions.Read
	default:
		w.unreadAt(c.part, c.span, "a use of a file that is not known")
		return
	}
	w.access(st, acc)
}
