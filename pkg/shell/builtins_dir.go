package shell

import (
	"strings"

	"mayi/pkg/permissions"
	"mayi/pkg/shell/value"

	"mvdan.cc/sh/v3/syntax"
)

// directory is cd, pushd, popd and dirs.
func (w *walker) directory(st *state, c *command, name string) (ok, fail *state) {
	switch name {
	case "cd":
		return w.cd(st, c)
	case "pushd":
		return w.pushd(st, c)
	case "popd":
		return w.popd(st, c)
	}
	if len(c.argv) > 1 {
		if t, known := c.argv[1].Text(); !known || t == "-c" {
			st.stack = nil
			if !known {
				st.stack = []value.Value{value.Unknown("the directory stack is not known")}
			}
		}
	}
	w.write(st, 1, value.Unknown("the directory stack"))
	return st, st
}

func (w *walker) cd(st *state, c *command) (ok, fail *state) {
	physical := st.opts.possible(optPhysical)
	at, known := letters(c.argv, "", func(l byte, _ value.Value, _ int) {
		switch l {
		case 'P':
			physical = true
		case 'L':
			physical = false
		}
	})
	if !known && at < len(c.argv) && c.argv[at].Many() {
		return w.moveTo(st, c, value.Unknown(why(c.argv[at])))
	}
	switch {
	case at >= len(c.argv):
		v := st.lookup("HOME")
		return w.moveTo(st, c, v.val)
	case len(c.argv) > at+1:
		return st, st // too many arguments: an error
	}
	dir := c.argv[at]
	if t, exact := dir.Text(); exact && t == "-" {
		to := st.lookup("OLDPWD").val
		w.write(st, 1, value.Concat(to, value.Exact("\n")))
		return w.moveTo(st, c, to)
	}
	return w.moveTo(st, c, w.destination(st, dir, physical))
}

// destination is the directory that cd would make the working directory.
func (w *walker) destination(st *state, dir value.Value, physical bool) value.Value {
	var out value.Value
	first := true
	add := func(v value.Value) {
		if first {
			out, first = v, false
			return
		}
		out = value.Union(out, v)
	}
	for _, alt := range dir.Alternatives() {
		switch place(alt) {
		case placeUnknown:
			return value.Unknown(reason(alt))
		case placeAbsolute:
			add(tidy(alt, physical))
			continue
		}
		for _, cwd := range st.cwd.Alternatives() {
			add(tidy(under(cwd, alt), physical))
		}
		for _, base := range w.cdPath(st, alt) {
			add(tidy(under(base, alt), physical))
		}
		if st.opts.possible(optCdableVars) && len(alt) == 1 && alt[0].Kind == value.Lit && syntax.ValidName(alt[0].Text) {
			add(st.lookup(alt[0].Text).val)
		}
	}
	return out
}

// cdPath is the list of further directories in which cd looks for a name that
// does not begin with a dot or a slash.
func (w *walker) cdPath(st *state, alt []value.Piece) [][]value.Piece {
	if len(alt) > 0 && alt[0].Kind == value.Lit {
		head, _, _ := strings.Cut(alt[0].Text, "/")
		if head == "." || head == ".." {
			return nil
		}
	}
	v := st.lookup("CDPATH")
	if v.never {
		return nil
	}
	texts, ok := v.val.Texts()
	if !ok {
		return [][]value.Piece{{{Kind: value.Any, Text: "CDPATH is not known"}}}
	}
	var out [][]value.Piece
	for _, t := range texts {
		for _, dir := range strings.Split(t, ":") {
			base := []value.Piece{{Kind: value.Lit, Text: dir}}
			if dir == "" {
				continue
			}
			if dir[0] == '/' {
				out = append(out, base)
				continue
			}
			for _, cwd := range st.cwd.Alternatives() {
				out = append(out, under(cwd, base))
			}
		}
	}
	return out
}

// tidy cleans a directory by name unless cd is physical, in which case the
// kernel decides.
func tidy(pieces []value.Piece, physical bool) value.Value {
	var v value.Value
	for _, p := range pieces {
		v = value.Concat(v, value.Of(p))
	}
	if t, ok := v.Text(); ok && !physical {
		return value.Exact(clean(t))
	}
	return v
}

// moveTo changes the directory; where that fails, it stays. Going somewhere
// shows whether it is there, so it counts as a look at the directory.
func (w *walker) moveTo(st *state, c *command, to value.Value) (ok, fail *state) {
	w.access(st, access{kind: permissions.Read, path: to, origin: permissions.FromRedirect, part: c.part, span: c.span})
	if value.Equal(to, st.cwd) {
		st.oldpwd = st.cwd
		return st, st
	}
	fail = st.clone()
	st.oldpwd = st.cwd
	st.cwd = to
	if _, assigned := st.vars["PWD"]; assigned {
		st.unsetLocal("PWD")
	}
	if _, assigned := st.vars["OLDPWD"]; assigned {
		st.unsetLocal("OLDPWD")
	}
	return st, fail
}

func (w *walker) pushd(st *state, c *command) (ok, fail *state) {
	noCd := false
	args := c.argv[1:]
	for len(args) > 0 {
		t, known := args[0].Text()
		if !known || (t != "-n" && t != "--") {
			break
		}
		noCd = noCd || t == "-n"
		args = args[1:]
	}
	if len(args) == 0 {
		if len(st.stack) == 0 {
			return st, st
		}
		top := st.stack[len(st.stack)-1]
		cur := st.cwd
		ok, fail = w.moveTo(st, c, top)
		ok.stack = append(ok.stack[:len(ok.stack)-1:len(ok.stack)-1], cur)
		return ok, fail
	}
	if t, known := args[0].Text(); known && len(t) > 1 && (t[0] == '+' || t[0] == '-') && isDigits(t[1:]) {
		return w.rotate(st, c)
	}
	to := w.destination(st, args[0].Single(), st.opts.possible(optPhysical))
	if args[0].Many() {
		to = value.Unknown(why(args[0]))
	}
	cur := st.cwd
	if noCd {
		st.stack = append(st.stack[:len(st.stack):len(st.stack)], to)
		return st, st
	}
	ok, fail = w.moveTo(st, c, to)
	ok.stack = append(ok.stack[:len(ok.stack):len(ok.stack)], cur)
	return ok, fail
}

func (w *walker) popd(st *state, c *command) (ok, fail *state) {
	if len(c.argv) > 1 {
		return w.rotate(st, c)
	}
	if len(st.stack) == 0 {
		return st, st
	}
	top := st.stack[len(st.stack)-1]
	ok, fail = w.moveTo(st, c, top)
	ok.stack = ok.stack[: len(ok.stack)-1 : len(ok.stack)-1]
	return ok, fail
}

// rotate is the numbered forms: any directory of the stack may be next.
func (w *walker) rotate(st *state, c *command) (ok, fail *state) {
	all := st.cwd
	for _, d := range st.stack {
		all = value.Union(all, d)
	}
	ok, fail = w.moveTo(st, c, all)
	for i := range ok.stack {
		if i == 0 {
			ok.stack = append([]value.Value(nil), ok.stack...)
		}
		ok.stack[i] = all
	}
	return ok, fail
}
