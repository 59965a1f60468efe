package shell

import (
	"mayi/pkg/permissions"
	"mayi/pkg/shell/value"
)

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
	params, open, some := st.params, st.paramsOpen, st.paramsAny
	if len(c.argv) > at+1 {
		st.setParams(c.argv[at+1:])
	}
	w.codeValue(st, c, at, text, "source")
	st.params, st.paramsOpen, st.paramsAny = params, open, some
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
