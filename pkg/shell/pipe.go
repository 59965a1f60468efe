package shell

import (
	"mayi/pkg/shell/value"

	"mvdan.cc/sh/v3/syntax"
)

func (w *walker) binary(c *syntax.BinaryCmd, st *state) (ok, fail *state) {
	switch c.Op {
	case syntax.Pipe, syntax.PipeAll:
		return w.pipe(c, st)
	}
	tested := w.tested
	w.tested = true
	ok, fail = w.stmt(c.X, st)
	w.tested = tested
	ok, fail = split(ok, fail)
	if c.Op == syntax.AndStmt {
		ok2, fail2 := w.stmt(c.Y, ok)
		return ok2, join(fail, fail2)
	}
	ok2, fail2 := w.stmt(c.Y, fail)
	return join(ok, ok2), fail2
}

// pipe runs both sides in shells of their own; the text flows from the left
// one to the right one.
func (w *walker) pipe(c *syntax.BinaryCmd, st *state) (ok, fail *state) {
	if outer := w.pipeline; outer == 0 {
		w.npipes++
		w.pipeline = w.npipes
		defer func() { w.pipeline = outer }()
	}
	left := st.clone()
	left.fds = left.fds.nested().with(1, flow{kind: flowCapture})
	if c.Op == syntax.PipeAll {
		left.fds = left.fds.with(2, flow{kind: flowCapture})
	}
	left.out = value.Value{}
	from := w.inSubshell(c.X, left)
	if hasOtherCapture(st) {
		st.out = value.Unknown("a pipeline may have written to it")
	}
	right := st.clone()
	right.fds = right.fds.with(0, textFlow(from.out))
	if st.opts.possible(optLastpipe) {
		right.fds = st.fds.with(0, textFlow(from.out))
		end := join(w.stmt(c.Y, right))
		end.fds = st.fds
		st = join(st, end)
		return st, st
	}
	to := w.inSubshell(c.Y, right)
	st.out = to.out
	return st, st
}

func (w *walker) inSubshell(s *syntax.Stmt, sub *state) *state {
	return w.subshell(sub, []*syntax.Stmt{s})
}

func (w *walker) coproc(c *syntax.CoprocClause, st *state) (ok, fail *state) {
	name := "COPROC"
	if c.Name != nil {
		w.quotedWord(st, c.Name)
		name = c.Name.Lit()
	}
	sub := st.clone()
	sub.fds = sub.fds.with(0, flow{kind: flowUnknown}).with(1, flow{kind: flowUnknown})
	w.inSubshell(c.Stmt, sub)
	if syntax.ValidName(name) {
		n := value.Number("a coprocess's descriptor")
		w.assign(st, assignment{name: name, array: true, list: []value.Value{n, n}}, c)
	}
	return st, st
}
