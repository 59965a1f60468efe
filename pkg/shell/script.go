package shell

import (
	"mayi/pkg/permissions"

	"mvdan.cc/sh/v3/syntax"
)

// maxScripts bounds scripts inside scripts (eval, sh -c, traps).
const maxScripts = 8

// ends collects the states at which control leaves early.
type ends struct {
	exit, ret *state
	// brks and conts are those of the loops that are being walked, the
	// innermost last.
	brks, conts []*state
}

func collect(to **state, st *state) {
	if to != nil && !st.dead {
		*to = join(*to, st.clone())
	}
}

// script walks a whole text in st, which is left as the text leaves it.
func (w *walker) script(src string, st *state) {
	stmts, unread := w.a.parse(src)
	for _, u := range unread {
		span := u.Span
		if w.fixed {
			span = w.span
		}
		w.unreadAt(w.parent, span, u.Why)
	}
	w.src = src
	end := w.stmtList(stmts, st)
	*st = *end
}

// nested walks text that a command of the line runs: part is the command and
// n the word that holds the text.
func (w *walker) nested(src string, st *state, part int, span permissions.Span, via string) {
	if w.scripts >= maxScripts {
		w.unreadAt(part, span, "scripts inside scripts go too deep to follow")
		return
	}
	saved := w.frame
	w.scripts++
	w.parent, w.via, w.span, w.fixed = part, via, span, true
	w.script(src, st)
	w.frame = saved
	w.scripts--
}

// subshell walks statements in a state of their own and returns its end.
func (w *walker) subshell(sub *state, stmts []*syntax.Stmt) *state {
	saved := w.ends
	w.ends = &ends{}
	end := w.stmtList(stmts, sub)
	end = join(join(end, w.ends.exit), w.ends.ret)
	w.ends = saved
	return end
}
