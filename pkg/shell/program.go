package shell

import (
	"slices"
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
	if alts := readings(c); alts != nil && len(c.words) == len(c.argv) {
		return w.eachReading(st, c, alts, name)
	}
	use := w.a.kb.DescribeInput(known(argv), typed(st))
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

// typed is the text that flows to standard input, as far as it is known; nil
// where it is none of the command line's.
func typed(st *state) *value.Value {
	if f := st.fds.get(0); f.kind == flowText && (f.partial == nil || !*f.partial) {
		return &f.val
	}
	return nil
}

// eachReading walks every way in which the command can turn out, as one part.
func (w *walker) eachReading(st *state, c *command, alts []*command, name string) (ok, fail *state) {
	var end *state
	count, named := 1, false
	for i, alt := range alts {
		w.an.Parts[c.part].Words = alt.words
		o, f := w.program(st.clone(), alt, name)
		named = named || slices.ContainsFunc(alt.words, func(word permissions.Word) bool { return word.ByName })
		end = join(end, join(o, f))
		if n := w.an.Parts[c.part].Name; i == 0 || n < count {
			count = n
		}
	}
	// No spelling but the command's own is true of all of them.
	p := &w.an.Parts[c.part]
	p.Words, p.Canon, p.Bare, p.Name, p.InnerAt = c.words, nil, nil, count, 0
	if named {
		p.Words[len(p.Words)-1].ByName = true // and so are all before it
	}
	if p.Class == permissions.Wrapper {
		p.Class = permissions.Program
	}
	if _, system := systemProgram(name); system || p.Words[0].Text != name {
		w.canon(c, name)
	}
	return end, end
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

// use turns what the knowledge base says into parts and effects.
func (w *walker) use(st *state, c *command, name string, use knowledge.Use, steered bool) {
	p := &w.an.Parts[c.part]
	c.whole = typed(st) != nil
	if use.Stdin != knowledge.StdinUnused || !plain(use) {
		consume(st)
	}
	p.Name, p.Person = max(use.Name, 1), use.Person
	byName(p.Words, use.ByName)
	byName(c.words, use.ByName)
	byName(p.Canon, use.ByName)
	if steered {
		use.Prints = knowledge.Prints{}
	}
	if use.Canon != nil {
		w.canonWords(p, c, use.Canon)
	}
	for _, i := range use.Bare {
		if i < len(c.words) {
			p.Bare = append(p.Bare, c.words[i])
		}
	}
	for _, u := range use.Unread {
		w.unreadAt(c.part, c.span, u)
	}
	if use.Dashed != "" {
		w.dashed(st, c, use.Dashed)
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
	case p.Opaque != permissions.Clear || slices.ContainsFunc(p.Unread, func(u permissions.Unread) bool { return !u.Conditional() }):
		w.exec(c, name, "")
	}
	if use.ArgsMayRun {
		p.ArgsMayRun, p.Opaque = true, max(p.Opaque, permissions.OpaqueProgram)
	}
	if use.Secret != "" && w.elsewhere == "" {
		w.effect(permissions.Effect{Kind: permissions.Read, Origin: permissions.FromCommand, Part: c.part,
			Span: c.span, Program: name, Certainty: permissions.Exact, Secret: use.Secret})
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
	if st.fds.get(1).kind == flowCapture {
		w.write(st, 1, w.printed(st, c, name, use))
	}
}

// byName marks the words that an allow rule has to name.
func byName(words []permissions.Word, at []int) {
	for _, i := range at {
		if i >= 0 && i < len(words) {
			words[i].ByName = true
		}
	}
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
			w.runsStream(st, c, name, a.Arg, f, isShell(name))
			return
		}
		if f.kind == flowText || f.kind == flowUnknown {
			return // a pipe of this command line
		}
	}
	acc := access{origin: permissions.FromCommand, part: c.part, span: c.spanAt(a.Arg), path: w.ownHome(st, a.Path.Single()), dir: a.Dir,
		recursive: a.Recursive, follow: a.Follow, nofollow: a.NoFollow, may: a.May, program: name}
	switch a.Sweep {
	case knowledge.SweepTracked:
		acc.sweep = permissions.TrackedFiles
	case knowledge.SweepAny:
		acc.sweep = permissions.AnyFiles
	}
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
		} else if anyCrosses(a.Path) {
			w.unreadAt(c.part, c.spanAt(a.Arg), "the file that "+name+" runs is one of those that were listed")
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
