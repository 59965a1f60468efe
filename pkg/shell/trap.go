package shell

import (
	"mayi/pkg/permissions"
	"mayi/pkg/shell/value"
)

// trap keeps text to run later. It is walked at once and again when the
// script ends, with what the variables are by then.
func (w *walker) trap(st *state, c *command) {
	at, known := letters(c.argv, "", func(byte, value.Value, int) {})
	if !known && at >= len(c.argv) {
		return
	}
	if at >= len(c.argv)-1 {
		return // listing, or resetting one signal
	}
	v := c.argv[at]
	if t, exact := v.Text(); exact && (t == "-" || t == "" || isDigits(t)) {
		return
	}
	sub := st.clone()
	saved := w.ends
	w.ends = &ends{}
	w.codeValue(sub, c, at, v, "trap")
	w.ends = saved
	t := trap{part: c.part, span: c.spanAt(at), text: v, st: sub}
	for _, sig := range c.argv[at+1:] {
		name, exact := sig.Text()
		t.anytime = t.anytime || !exact || name != "EXIT" && name != "0"
	}
	w.traps = append(w.traps, t)
}

// trap is text that a trap runs later.
type trap struct {
	part int
	span permissions.Span
	text value.Value
	st   *state
	// anytime: a signal, not only the end, makes it run.
	anytime bool
}

// runTraps walks the texts of traps in the state at the end, or, where they may
// run at any time, with everything unknown that changed since.
func (w *walker) runTraps(st *state) {
	for i := 0; i < len(w.traps) && i < maxScripts; i++ {
		t := w.traps[i]
		texts, ok := t.text.Texts()
		if !ok || same(t.st, st) && !st.dead {
			continue
		}
		for _, text := range texts {
			sub := st.clone()
			sub.dead = false
			if t.anytime {
				sub = widen(t.st, sub)
			}
			w.nested(text, sub, t.part, t.span, "trap")
		}
	}
}
