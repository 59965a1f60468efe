package shell

import (
	"mayi/pkg/permissions"
	"mayi/pkg/shell/value"

	"mvdan.cc/sh/v3/syntax"
)

// stmtList walks statements one after another and returns the state after
// them, however the last one ended.
func (w *walker) stmtList(stmts []*syntax.Stmt, st *state) *state {
	ok, fail := w.stmts(stmts, st)
	return join(ok, fail)
}

// stmts returns the states after the last statement succeeded and after it
// failed; both may be the same.
func (w *walker) stmts(stmts []*syntax.Stmt, st *state) (ok, fail *state) {
	ok, fail = st, st
	for i, s := range stmts {
		cur := join(ok, fail)
		ok, fail = w.stmt(s, cur)
		if i < len(stmts)-1 && ok != fail && !w.tested && stops(s, cur) {
			// set -e: a failure does not reach the next command.
			collect(&w.ends.exit, fail)
			fail = ok
		}
	}
	return ok, fail
}

// stops reports whether a failure of the statement ends the shell.
func stops(s *syntax.Stmt, st *state) bool {
	if s.Negated || !st.opts.certain(optErrexit) {
		return false
	}
	_, simple := s.Cmd.(*syntax.CallExpr)
	return simple
}

// split makes two outcomes independent of each other.
func split(ok, fail *state) (*state, *state) {
	if ok == fail {
		return ok, ok.clone()
	}
	return ok, fail
}

// joinEnds joins the outcomes of two branches.
func joinEnds(ok1, fail1, ok2, fail2 *state) (ok, fail *state) {
	ok = join(ok1, ok2)
	if ok1 == fail1 && ok2 == fail2 {
		return ok, ok
	}
	return ok, join(fail1, fail2)
}

func (w *walker) stmt(s *syntax.Stmt, st *state) (ok, fail *state) {
	if !w.step() {
		return st, st
	}
	if s.Coprocess || s.Disown {
		w.unread(s, "a command separator that bash does not have")
	}
	if s.Background {
		// It runs beside what follows, in a shell of its own.
		sub := st.clone()
		saved, beside := w.ends, w.background
		w.ends, w.background = &ends{}, true
		w.command(s, sub)
		w.ends, w.background = saved, beside
		if st.fds.get(1).kind == flowCapture {
			st.out = value.Unknown("a background command writes to it")
		}
		return st, st
	}
	ok, fail = w.command(s, st)
	if s.Negated {
		ok, fail = fail, ok
	}
	return ok, fail
}

// command walks a statement's command with its redirections.
func (w *walker) command(s *syntax.Stmt, st *state) (ok, fail *state) {
	if call, is := s.Cmd.(*syntax.CallExpr); is {
		return w.call(st, call, s.Redirs, s)
	}
	if d, is := s.Cmd.(*syntax.DeclClause); is {
		return w.decl(st, d, s.Redirs)
	}
	if s.Cmd == nil {
		return w.bareRedirects(s, st)
	}
	if len(s.Redirs) == 0 {
		return w.compound(s.Cmd, st)
	}
	before := st.clone()
	w.redirects(st, s.Redirs)
	ok, fail = w.compound(s.Cmd, st)
	same := ok == fail
	ok.fds = before.fds
	fail.fds = before.fds
	if same {
		// A redirection that fails keeps the command from running.
		ok = join(ok, before)
		return ok, ok
	}
	return ok, join(fail, before)
}

func (w *walker) bareRedirects(s *syntax.Stmt, st *state) (ok, fail *state) {
	fds := st.fds
	w.redirects(st, s.Redirs)
	for _, r := range s.Redirs {
		if r.Op == syntax.RdrIn && fds.get(1).kind == flowCapture {
			// $(<file) prints the file.
			st.out = value.Concat(st.out, input(st))
		}
	}
	st.fds = fds
	return st, st
}

func (w *walker) compound(cmd syntax.Command, st *state) (ok, fail *state) {
	switch c := cmd.(type) {
	case *syntax.Block:
		return w.stmts(c.Stmts, st)
	case *syntax.Subshell:
		end := w.subshell(st.clone(), c.Stmts)
		st.out = end.out
		return st, st
	case *syntax.BinaryCmd:
		return w.binary(c, st)
	case *syntax.IfClause:
		return w.ifClause(c, st)
	case *syntax.WhileClause:
		end := w.while(c, st)
		return end, end
	case *syntax.ForClause:
		end := w.forClause(c, st)
		return end, end
	case *syntax.CaseClause:
		end := w.caseClause(c, st)
		return end, end
	case *syntax.FuncDecl:
		w.declare(c, st)
		return st, st
	case *syntax.ArithmCmd:
		w.arith(st, c.X)
		return st, st
	case *syntax.LetClause:
		return w.let(c, st)
	case *syntax.TestClause:
		return w.testClause(c, st)
	case *syntax.TimeClause:
		if c.Stmt == nil {
			return st, st
		}
		return w.stmt(c.Stmt, st)
	case *syntax.CoprocClause:
		return w.coproc(c, st)
	}
	w.unread(cmd, "a kind of command that is not known")
	return st, st
}

func (w *walker) ifClause(c *syntax.IfClause, st *state) (ok, fail *state) {
	if !c.ThenPos.IsValid() {
		return w.stmts(c.Then, st) // else
	}
	tested := w.tested
	w.tested = true
	ok, fail = w.stmts(c.Cond, st)
	w.tested = tested
	ok, fail = split(ok, fail)
	ok1, fail1 := w.stmts(c.Then, ok)
	if c.Else == nil {
		return joinEnds(ok1, fail1, fail, fail)
	}
	ok2, fail2 := w.ifClause(c.Else, fail)
	return joinEnds(ok1, fail1, ok2, fail2)
}

func (w *walker) let(c *syntax.LetClause, st *state) (ok, fail *state) {
	idx := w.newPart(c, permissions.Free)
	w.showNode(idx, c)
	parent := w.parent
	w.parent = idx
	for _, x := range c.Exprs {
		w.arith(st, x)
	}
	w.parent = parent
	return st, st
}

func (w *walker) testClause(c *syntax.TestClause, st *state) (ok, fail *state) {
	idx := w.newPart(c, permissions.Free)
	w.showNode(idx, c)
	parent := w.parent
	w.parent = idx
	w.testExpr(st, c.X)
	w.parent = parent
	return st, st
}
