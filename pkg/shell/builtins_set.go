package shell

import (
	"strconv"
	"strings"

	"mayi/pkg/shell/value"
)

// option reads a builtin's leading options, which are letters. values are the
// letters that take one; f is called for each option in order. It returns the
// index of the first operand; known is false where a word that is not known
// may be an option.
func letters(argv []value.Value, values string, f func(letter byte, v value.Value, i int)) (operands int, known bool) {
	i := 1
	for i < len(argv) {
		t, ok := argv[i].Text()
		if !ok {
			p := argv[i].Prefix()
			return i, p != "" && p[0] != '-' && !argv[i].Many()
		}
		if t == "--" {
			return i + 1, true
		}
		if len(t) < 2 || t[0] != '-' {
			return i, true
		}
		for k := 1; k < len(t); k++ {
			if strings.IndexByte(values, t[k]) < 0 {
				f(t[k], value.Value{}, i)
				continue
			}
			if k+1 < len(t) {
				f(t[k], value.Exact(t[k+1:]), i)
			} else if i+1 < len(argv) {
				i++
				f(t[k], argv[i], i)
			}
			break
		}
		i++
	}
	return i, true
}

func (w *walker) shift(st *state, c *command) {
	n := 1
	if len(c.argv) > 1 {
		t, ok := c.argv[1].Text()
		i, err := strconv.Atoi(t)
		if !ok || err != nil {
			st.openParams()
			return
		}
		n = i
	}
	if n >= 0 && n <= len(st.params) && !st.paramsOpen {
		st.params = st.params[n:]
	}
}

// setBuiltin is set: switches and positional parameters.
func (w *walker) setBuiltin(st *state, c *command) {
	args := c.argv[1:]
	if len(args) == 0 {
		w.write(st, 1, value.Unknown("the shell's variables"))
	}
	for i := 0; i < len(args); i++ {
		t, ok := args[i].Text()
		switch {
		case !ok && (args[i].Many() || args[i].Prefix() == "" || args[i].Prefix()[0] == '-' || args[i].Prefix()[0] == '+'):
			st.opts = st.opts.unknown()
			st.openParams()
			return
		case t == "--" || t == "-":
			st.setParams(args[i+1:])
			return
		case len(t) > 1 && (t[0] == '-' || t[0] == '+'):
			on := t[0] == '-'
			for k := 1; k < len(t); k++ {
				switch t[k] {
				case 'o':
					if i+1 >= len(args) {
						return
					}
					i++
					st.opts = st.opts.named(args[i], on)
				case 'B':
					st.opts = st.opts.set(optNobrace, !on)
				default:
					st.opts = st.opts.set(setLetter(t[k]), on)
				}
			}
		default:
			st.setParams(args[i:])
			return
		}
	}
}

// named switches the option of a name, which may not be known.
func (o options) named(v value.Value, on bool) options {
	t, ok := v.Text()
	if !ok {
		return o.unknown()
	}
	if t == "braceexpand" {
		return o.set(optNobrace, !on)
	}
	return o.set(optionName(t), on)
}

func (w *walker) shopt(st *state, c *command) {
	on, off := false, false
	at, known := letters(c.argv, "", func(l byte, _ value.Value, _ int) {
		on = on || l == 's'
		off = off || l == 'u'
	})
	if !known {
		st.opts = st.opts.unknown()
		return
	}
	if !on && !off {
		return
	}
	for _, v := range c.argv[at:] {
		if v.Many() {
			st.opts = st.opts.unknown()
			continue
		}
		st.opts = st.opts.named(v, on)
	}
}
