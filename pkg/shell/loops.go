package shell

import (
	"mayi/pkg/shell/value"

	"mvdan.cc/sh/v3/syntax"
)

// Bounds on loops.
const (
	// maxUnroll is how many known words a loop is followed through one by one.
	maxUnroll = 16
	// maxRounds is how often a loop's body is tried until its state settles.
	maxRounds = 10
)

// settle finds a state at a loop's head that another round does not change,
// then walks the loop once from there. body returns the state at the head
// after one round.
func (w *walker) settle(st *state, body func(*state) *state) {
	head := st
	for i := range maxRounds {
		m := w.mark()
		end := body(head.clone())
		w.rollback(m)
		next := join(head, end)
		if i >= 2 {
			next = widen(head, next)
		}
		if w.spent || same(next, head) {
			break
		}
		head = next
		if i == maxRounds-1 {
			head.forget("it changes in a loop")
			head.cwd = value.Unknown("the directory changes in a loop")
		}
	}
	body(head.clone())
}

// round walks a loop's body once, with continue leading to its end.
func (w *walker) round(stmts []*syntax.Stmt, st *state) *state {
	n := len(w.ends.conts) - 1
	w.ends.conts[n] = nil
	end := w.stmtList(stmts, st)
	return join(end, w.ends.conts[n])
}

// looping walks a loop, with break leading behind it.
func (w *walker) looping(walk func() *state) *state {
	e := w.ends
	n := len(e.brks)
	e.brks, e.conts = append(e.brks, nil), append(e.conts, nil)
	end := join(walk(), e.brks[n])
	e.brks, e.conts = e.brks[:n], e.conts[:n]
	return end
}

func (w *walker) while(c *syntax.WhileClause, st *state) *state {
	return w.looping(func() *state {
		var after *state
		w.settle(st, func(head *state) *state {
			tested := w.tested
			w.tested = true
			ok, fail := w.stmts(c.Cond, head)
			w.tested = tested
			ok, fail = split(ok, fail)
			if c.Until {
				ok, fail = fail, ok
			}
			after = fail
			return w.round(c.Do, ok)
		})
		return after
	})
}

func (w *walker) forClause(c *syntax.ForClause, st *state) *state {
	switch l := c.Loop.(type) {
	case *syntax.WordIter:
		return w.forWords(c, l, st)
	case *syntax.CStyleLoop:
		return w.forArith(c, l, st)
	}
	w.unread(c, "a kind of loop that is not known")
	return w.looping(func() *state { return w.round(c.Do, st) })
}

func (w *walker) forWords(c *syntax.ForClause, l *syntax.WordIter, st *state) *state {
	var words []value.Value
	if l.InPos.IsValid() {
		words = w.fields(st, l.Items, nil)
	} else {
		words = st.params
		if st.paramsOpen {
			words = []value.Value{st.someParam().WithMany()}
		}
	}
	open := len(words) > maxUnroll || c.Select
	for _, v := range words {
		open = open || v.Many() || v.HasGlob()
	}
	name := "?"
	if l.Name != nil {
		name = l.Name.Value
	}
	set := func(s *state, v value.Value) {
		w.assign(s, assignment{name: name, val: v.Single()}, l)
		if c.Select {
			s.set("REPLY", &variable{val: value.Unknown("what is typed")})
		}
	}
	return w.looping(func() *state {
		if len(words) == 0 {
			// Never run; walked for what it names.
			skipped := st.clone()
			skipped.dead = true
			set(skipped, value.Unknown("a loop without words"))
			w.round(c.Do, skipped)
			return st
		}
		if !open {
			end := st
			for _, v := range words {
				if end.dead {
					break
				}
				set(end, v)
				end = w.round(c.Do, end)
			}
			return end
		}
		all := words[0].Single()
		for _, v := range words[1:] {
			all = value.Union(all, v.Single())
		}
		if c.Select {
			all = value.Union(all, value.Value{})
		}
		var after *state
		w.settle(st, func(head *state) *state {
			after = head.clone()
			set(head, all)
			return w.round(c.Do, head)
		})
		return after
	})
}

func (w *walker) forArith(c *syntax.ForClause, l *syntax.CStyleLoop, st *state) *state {
	if l.Init != nil {
		w.arith(st, l.Init)
	}
	return w.looping(func() *state {
		cur := st
		for range maxUnroll {
			probe := cur.clone()
			n, known := int64(1), l.Cond == nil
			if l.Cond != nil {
				n, known = exactOf(w.arith(probe, l.Cond))
			}
			if !known || l.Cond == nil {
				break
			}
			if n == 0 {
				return probe
			}
			cur = w.round(c.Do, probe)
			if l.Post != nil {
				w.arith(cur, l.Post)
			}
		}
		var after *state
		w.settle(cur, func(head *state) *state {
			if l.Cond != nil {
				w.arith(head, l.Cond)
				after = head.clone()
			}
			end := w.round(c.Do, head)
			if l.Post != nil {
				w.arith(end, l.Post)
			}
			return end
		})
		if after == nil {
			// for ((;;)) ends by break alone.
			after = cur.clone()
			after.dead = true
		}
		return after
	})
}

func (w *walker) caseClause(c *syntax.CaseClause, st *state) *state {
	w.quotedWord(st, c.Word)
	var end, through *state
	all := false
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			w.pattern(st, p)
			all = all || p.Lit() == "*"
		}
		cur := st.clone()
		if through != nil {
			cur = join(cur, through)
		}
		cur = w.stmtList(item.Stmts, cur)
		through = nil
		switch item.Op {
		case syntax.Fallthrough, syntax.Resume:
			through = cur
		}
		end = join(end, cur)
	}
	if all && end != nil {
		return end
	}
	return join(st, end)
}
