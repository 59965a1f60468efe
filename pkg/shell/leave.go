package shell

import (
	"strconv"
)

// leave is exit, return, break and continue.
func (w *walker) leave(st *state, c *command, name string) (ok, fail *state) {
	if st.dead {
		return st, st
	}
	e := w.ends
	switch name {
	case "exit", "logout":
		collect(&e.exit, st)
	case "return":
		if !st.inFunc {
			return st, st
		}
		collect(&e.ret, st)
	default:
		n := 1
		if len(c.argv) > 1 {
			t, known := c.argv[1].Text()
			i, err := strconv.Atoi(t)
			if !known || err != nil || i < 1 {
				// How far it leads is not known: it may also lead nowhere.
				for k := range e.brks {
					collect(&e.brks[k], st)
					collect(&e.conts[k], st)
				}
				return st, st
			}
			n = i
		}
		if len(e.brks) == 0 {
			return st, st
		}
		k := max(0, len(e.brks)-n)
		if name == "break" {
			collect(&e.brks[k], st)
		} else {
			collect(&e.conts[k], st)
		}
	}
	st.dead = true
	return st, st
}
