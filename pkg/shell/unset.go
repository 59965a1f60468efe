package shell

import (
	"strings"

	"mayi/pkg/shell/value"
)

func (w *walker) unset(st *state, c *command) {
	onlyFuncs, onlyVars := false, false
	at, known := letters(c.argv, "", func(l byte, _ value.Value, _ int) {
		onlyFuncs = onlyFuncs || l == 'f'
		onlyVars = onlyVars || l == 'v'
	})
	for i, v := range c.argv[at:] {
		names, ok := w.nameWithSubscript(st, v.Single(), argNode(c, at+i))
		if !ok || !known || v.Many() {
			st.forget("it may have been unset")
			continue
		}
		texts, _ := v.Texts()
		for _, name := range names {
			sure := len(names) == 1
			if !onlyVars && (onlyFuncs || st.vars[name] == nil) {
				if f := st.funcs[name]; f != nil && sure {
					st.funcs = without(st.funcs, name)
				} else if f != nil {
					g := *f
					g.maybe = true
					st.funcs = with(st.funcs, name, &g)
				}
			}
			if onlyFuncs {
				continue
			}
			old := st.lookup(name)
			if sure && !strings.Contains(texts[0], "[") {
				st.set(name, &variable{never: true})
				if name == "PATH" {
					w.steer(st, name, value.Exact("")) // programs are looked for here
				}
				continue
			}
			v := *old
			v.unset = true
			if v.array {
				v.rest, v.open = v.any(), true
				v.list = nil
			}
			st.set(name, &v)
		}
	}
}
