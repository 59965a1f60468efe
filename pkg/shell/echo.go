package shell

import (
	"strings"

	"mayi/pkg/shell/value"
)

func anyMany(list []value.Value) bool {
	for _, v := range list {
		if v.Many() || v.HasGlob() {
			return true
		}
	}
	return false
}

// echoText is what echo prints.
func echoText(args []value.Value, o options) value.Value {
	if anyMany(args) {
		return value.Unknown("the words that echo prints are not known")
	}
	newline, escapes := true, false
	for len(args) > 0 {
		t, ok := args[0].Text()
		if !ok && (args[0].Prefix() == "" || args[0].Prefix()[0] == '-') && !args[0].Integer() {
			return value.Unknown("whether echo is given an option is not known")
		}
		if !ok || len(t) < 2 || t[0] != '-' || strings.Trim(t[1:], "neE") != "" {
			break
		}
		for _, r := range t[1:] {
			switch r {
			case 'n':
				newline = false
			case 'e':
				escapes = true
			case 'E':
				escapes = false
			}
		}
		args = args[1:]
	}
	var out value.Value
	for i, v := range args {
		if i > 0 {
			out = value.Concat(out, value.Exact(" "))
		}
		out = value.Concat(out, v)
	}
	if !escapes && o.possible(optXpgEcho) {
		if t, ok := out.Text(); !ok || strings.Contains(t, `\`) {
			return value.Unknown("whether echo reads backslashes depends on the shell")
		}
	}
	if escapes {
		t, ok := out.Text()
		if !ok {
			return value.Unknown("echo -e of a text that is not known")
		}
		dec, stop := ansiC(t, true)
		if stop {
			return value.Exact(dec)
		}
		out = value.Exact(dec)
	}
	if newline {
		out = value.Concat(out, value.Exact("\n"))
	}
	return out
}

// printf: -v assigns, and a subscript in its name is evaluated.
func (w *walker) printf(st *state, c *command) {
	into := value.Value{}
	has := false
	at, known := letters(c.argv, "v", func(l byte, v value.Value, i int) {
		if l == 'v' {
			into, has = v, true
		}
	})
	if !known && at < len(c.argv) {
		w.unreadAt(c.part, c.spanAt(at), "whether printf is given -v is not known: "+why(c.argv[at]))
	}
	out := value.Unknown("the output of printf")
	if at < len(c.argv) && known {
		out = printfText(c.argv[at], c.argv[at+1:])
	}
	if !has {
		w.write(st, 1, out)
		return
	}
	w.assignNamed(st, c, into, out)
}

// assignNamed assigns to a name given as text, whose subscript is evaluated.
func (w *walker) assignNamed(st *state, c *command, name, v value.Value) {
	names, ok := w.nameWithSubscript(st, name, c.node)
	if !ok {
		st.forget("it may have been assigned")
		return
	}
	text, _ := name.Text()
	for _, n := range names {
		a := assignment{name: n, val: v.Unmarked()}
		if strings.Contains(text, "[") {
			a.indexd, a.index = true, value.Unknown("a subscript")
		}
		if len(names) > 1 {
			a.val = value.Union(a.val, st.lookup(n).val)
		}
		w.assign(st, a, c.node)
	}
}
