package shell

import (
	"strconv"
	"strings"

	"mayi/pkg/permissions"
	"mayi/pkg/shell/value"
)

// isBuiltin reports whether bash runs the name itself.
func isBuiltin(name string) bool {
	switch name {
	case ":", ".", "[", "alias", "bg", "bind", "break", "builtin", "caller", "cd", "command", "compgen",
		"complete", "compopt", "continue", "declare", "dirs", "disown", "echo", "enable", "eval", "exec",
		"exit", "export", "false", "fc", "fg", "getopts", "hash", "help", "history", "jobs", "let",
		"local", "logout", "mapfile", "popd", "printf", "pushd", "pwd", "read", "readarray", "readonly",
		"return", "set", "shift", "shopt", "source", "suspend", "test", "times", "trap", "true", "type",
		"typeset", "ulimit", "umask", "unalias", "unset", "wait":
		return true
	}
	return false
}

// specialBuiltin: in POSIX mode assignments before it stay.
func specialBuiltin(name string) bool {
	switch name {
	case ":", ".", "break", "continue", "eval", "exec", "exit", "export", "readonly", "return", "set",
		"shift", "source", "times", "trap", "unset":
		return true
	}
	return false
}

// builtin walks a command that the shell runs itself.
func (w *walker) builtin(st *state, c *command, name string) (ok, fail *state) {
	w.setClass(c.part, permissions.Free)
	switch name {
	case "cd", "pushd", "popd", "dirs":
		return w.directory(st, c, name)
	case "exit", "logout", "return", "break", "continue":
		return w.leave(st, c, name)
	case "eval":
		return w.eval(st, c)
	case "exec":
		return w.execBuiltin(st, c)
	case "command", "builtin":
		return w.bypass(st, c, name)
	case ".", "source":
		return w.source(st, c)
	case "read":
		return w.read(st, c)
	}
	parent := w.parent
	w.parent = c.part
	defer func() { w.parent = parent }()
	switch name {
	case "echo":
		w.write(st, 1, echoText(c.argv[1:]))
	case "printf":
		w.printf(st, c)
	case "pwd":
		w.write(st, 1, value.Concat(st.cwd, value.Exact("\n")))
	case "true", ":", "false":
	case "test", "[":
		w.test(st, c)
	case "set":
		w.setBuiltin(st, c)
	case "shopt":
		w.shopt(st, c)
	case "shift":
		w.shift(st, c)
	case "export", "declare", "local", "readonly", "typeset":
		w.declWords(st, c, name)
	case "unset":
		w.unset(st, c)
	case "mapfile", "readarray":
		w.mapfile(st, c)
	case "getopts":
		w.getopts(st, c)
	case "let":
		for i, v := range c.argv[1:] {
			w.evalText(st, v, argNode(c, i+1))
		}
	case "trap":
		w.trap(st, c)
	case "alias":
		w.alias(st, c)
	case "unalias":
		w.unalias(st, c)
	case "hash":
		w.hash(st, c)
	case "enable":
		w.enable(st, c)
	case "history":
		w.history(st, c)
	case "fc":
		w.fc(st, c)
	case "bind", "complete", "compgen", "compopt":
		w.completion(st, c, name)
	case "wait":
		w.waitVar(st, c)
	default:
		w.write(st, 1, value.Unknown("the output of "+name))
	}
	return st, st
}

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

func anyMany(list []value.Value) bool {
	for _, v := range list {
		if v.Many() || v.HasGlob() {
			return true
		}
	}
	return false
}

// echoText is what echo prints.
func echoText(args []value.Value) value.Value {
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

// test: -v and -R evaluate a subscript.
func (w *walker) test(st *state, c *command) {
	args := c.argv[1:]
	for i, v := range args {
		if v.Many() {
			w.unreadAt(c.part, c.spanAt(i+1), "an unquoted word may be any test, also one that runs a subscript: "+why(v))
			return
		}
		t, ok := v.Text()
		if ok && (t == "-v" || t == "-R") && i+1 < len(args) {
			w.testVar(st, args[i+1], argNode(c, i+2))
		}
		if !ok && i+1 < len(args) && !v.Integer() && couldBe(v, "-v") && !binaryTest(args, i) {
			w.testVar(st, args[i+1], argNode(c, i+2))
		}
	}
}

// binaryTest: the word at i is an operand because an operator follows it.
func binaryTest(args []value.Value, i int) bool {
	if i+1 >= len(args) {
		return false
	}
	t, ok := args[i+1].Text()
	if !ok {
		return false
	}
	switch t {
	case "=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef", "-a", "-o", "]":
		return true
	}
	return false
}

// couldBe reports whether the value may be this text.
func couldBe(v value.Value, text string) bool {
	if texts, ok := v.Texts(); ok {
		for _, t := range texts {
			if t == text {
				return true
			}
		}
		return false
	}
	return strings.HasPrefix(text, v.Prefix())
}

func (w *walker) shift(st *state, c *command) {
	n := 1
	if len(c.argv) > 1 {
		t, ok := c.argv[1].Text()
		i, err := strconv.Atoi(t)
		if !ok || err != nil {
			st.paramsOpen = true
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
			st.params, st.paramsOpen = nil, true
			return
		case t == "--" || t == "-":
			st.params, st.paramsOpen = parameters(args[i+1:])
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
			st.params, st.paramsOpen = parameters(args[i:])
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

func (w *walker) getopts(st *state, c *command) {
	if len(c.argv) < 3 {
		return
	}
	w.assignNamed(st, c, c.argv[2], value.Unknown("an option letter"))
	w.assign(st, assignment{name: "OPTARG", val: value.Unknown("an option's value")}, c.node)
	w.assign(st, assignment{name: "OPTIND", val: value.Number("an index")}, c.node)
}

func (w *walker) waitVar(st *state, c *command) {
	letters(c.argv, "p", func(l byte, v value.Value, i int) {
		if l == 'p' {
			w.assignNamed(st, c, v, value.Number("a process's number"))
		}
	})
}

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
