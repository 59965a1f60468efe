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
		w.runsStream(st, c, name, -1, f, name != "fish")
	case knowledge.StdinCode:
		w.codeFromInput(st, c, name, f)
	case knowledge.StdinPaths:
		w.pathsFromInput(st, c, name, f)
	}
}

// runsStream is a shell, or another interpreter, that runs what comes in.
func (w *walker) runsStream(st *state, c *command, name string, arg int, f flow, shell bool) {
	if !shell {
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
	child.openParams()
	w.dialect(child, c, c.span, name, texts)
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
		return
	}
	if code, ok := f.val.Text(); ok {
		found := knowledge.Glean(language(name), code)
		for _, a := range found.Accesses {
			w.fileAccess(st, c, name, a)
		}
		w.runs(st, c, found)
	}
}

// language is the language of an interpreter's programs, as far as it matters
// for what stands in them literally.
func language(name string) string {
	for _, l := range []string{"python", "perl", "ruby", "php"} {
		if strings.HasPrefix(name, l) {
			return l
		}
	}
	return "node"
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
	if v, ok := w.listed(st, c, name, use.Prints); ok {
		return v
	}
	return value.Unknown("the output of " + name)
}
