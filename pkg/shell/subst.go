package shell

import (
	"strconv"
	"strings"

	"mayi/pkg/shell/value"

	"mvdan.cc/sh/v3/syntax"
)

// cmdSubst walks a command substitution and returns what it is known to print.
func (w *walker) cmdSubst(st *state, cs *syntax.CmdSubst) value.Value {
	if cs.ReplyVar || cs.TempFile {
		// ${ cmd; } runs in this shell.
		return w.inPlaceSubst(st, cs)
	}
	sub := st.clone()
	sub.fds = sub.fds.nested().with(1, flow{kind: flowCapture})
	sub.out = value.Value{}
	sub.opts = sub.opts.set(optErrexit, false) // bash does not hand it down
	via := w.via
	w.via = "command substitution"
	end := w.subshell(sub, cs.Stmts)
	w.via = via
	if st.fds.nested().leaks() && hasOtherCapture(st) {
		st.out = value.Unknown("a substitution may have written to it")
	}
	return trimNewlines(end.out)
}

// hasOtherCapture reports whether a descriptor besides standard output leads
// to the capture that st writes to.
func hasOtherCapture(st *state) bool {
	for n, f := range st.fds.m {
		if n != 1 && f.kind == flowCapture {
			return true
		}
	}
	return false
}

func (w *walker) inPlaceSubst(st *state, cs *syntax.CmdSubst) value.Value {
	via := w.via
	w.via = "command substitution"
	defer func() { w.via = via }()
	fds, out := st.fds, st.out
	st.fds = st.fds.nested().with(1, flow{kind: flowCapture})
	st.out = value.Value{}
	end := w.stmtList(cs.Stmts, st)
	printed := end.out
	*st = *end
	st.fds, st.out = fds, out
	if cs.ReplyVar {
		return value.Unknown("the reply of a substitution")
	}
	return trimNewlines(printed)
}

// procSubst walks <(…) or >(…) and returns the name that stands for it.
func (w *walker) procSubst(st *state, ps *syntax.ProcSubst) value.Value {
	sub := st.clone()
	via := w.via
	w.via = "process substitution"
	name := "/dev/fd/" + strconv.Itoa(63-w.nprocs)
	w.nprocs++
	if w.procs == nil {
		w.procs = map[string]flow{}
	}
	switch ps.Op {
	case syntax.CmdIn:
		sub.fds = sub.fds.nested().with(1, flow{kind: flowCapture})
		sub.out = value.Value{}
		end := w.subshell(sub, ps.Stmts)
		w.procs[name] = textFlow(end.out)
	case syntax.CmdOut:
		sub.fds = sub.fds.with(0, textFlow(value.Unknown("what is written to a process substitution")))
		w.subshell(sub, ps.Stmts)
		w.procs[name] = flow{kind: flowUnknown, val: value.Unknown("a process substitution")}
	default:
		w.subshell(sub, ps.Stmts)
		w.unread(ps, "a process substitution that bash does not have")
		w.via = via
		return value.Unknown("a process substitution that bash does not have")
	}
	w.via = via
	return value.Exact(name)
}

// trimNewlines drops the newlines at the end, as $(…) does.
func trimNewlines(v value.Value) value.Value {
	if out, ok := v.Map(func(s string) string { return strings.TrimRight(s, "\n") }); ok {
		return out
	}
	alts := v.Alternatives()
	if len(alts) != 1 {
		if v.Integer() {
			return v
		}
		return value.Unknown(why(v))
	}
	a := alts[0]
	var out value.Value
	for i, p := range a {
		if p.Kind == value.Lit && i == len(a)-1 {
			out = value.Concat(out, value.Exact(strings.TrimRight(p.Text, "\n")))
			continue
		}
		out = value.Concat(out, value.Of(p))
	}
	return out
}

// evalPrompt walks text that the shell expands once more, as ${x@P}, PS4 and
// the subscripts of associative arrays are.
func (w *walker) evalPrompt(st *state, v value.Value, n syntax.Node) {
	texts, ok := v.Texts()
	if !ok {
		if !v.Integer() {
			w.unread(n, "text that is not known is expanded once more, which can run commands: "+why(v))
		}
		return
	}
	for _, t := range texts {
		if !strings.ContainsAny(t, "$`") {
			continue
		}
		// The prompt's own escapes are undone first: \044( is $( as well.
		if dec, _ := ansiC(t, false); dec != t && strings.ContainsAny(dec, "$`") {
			w.unread(n, "escapes in text that is expanded once more")
		}
		doc, err := w.a.parseDocument(t)
		if err != nil {
			w.unread(n, "text that is expanded once more does not parse")
			continue
		}
		if w.depth >= maxArithDepth || doc == nil {
			w.unread(n, "text that is expanded again and again")
			continue
		}
		w.depth++
		saved := w.frame
		w.span, w.fixed, w.src = w.spanOf(n), true, t
		w.quotedParts(st, doc.Parts)
		w.frame = saved
		w.depth--
	}
}

// home is what a tilde prefix stands for. ok is false where the text stays as
// it is.
func (w *walker) home(st *state, prefix string) (value.Value, bool) {
	switch prefix {
	case "~":
		v := st.lookup("HOME")
		if v.never || v.unset {
			return value.HomeOf("~"), true
		}
		return v.val, true
	case "~+":
		return st.cwd, true
	case "~-":
		return st.oldpwd, true
	}
	name := prefix[1:]
	if n := strings.TrimLeft(name, "+-"); n != "" && isDigits(n) {
		return value.Unknown("a directory from the stack"), true
	}
	if w.env.User != "" && name == w.env.User && w.env.Home != "" {
		return value.Exact(w.env.Home), true
	}
	return value.HomeOf(prefix), true
}

// ownHome puts the home directory that is in force where a program looks for
// its own files below it.
func (w *walker) ownHome(st *state, v value.Value) value.Value {
	alts := v.Alternatives()
	if len(alts) != 1 || len(alts[0]) == 0 || alts[0][0] != (value.Piece{Kind: value.Home, Text: "~"}) {
		return v
	}
	out, _ := w.home(st, "~")
	for _, p := range alts[0][1:] {
		out = value.Concat(out, value.Of(p))
	}
	return out
}
