package shell

import (
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
		w.write(st, 1, echoText(c.argv[1:], st.opts))
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
	case "jobs":
		return w.jobs(st, c)
	default:
		w.write(st, 1, value.Unknown("the output of "+name))
	}
	return st, st
}

func (w *walker) getopts(st *state, c *command) {
	if len(c.argv) < 3 {
		return
	}
	w.assignNamed(st, c, c.argv[2], value.Unknown("an option letter"))
	w.assign(st, assignment{name: "OPTARG", val: value.Unknown("an option's value")}, c.node)
	w.assign(st, assignment{name: "OPTIND", val: value.Number("an index")}, c.node)
}

// jobs -x runs the words that follow, with job numbers replaced.
func (w *walker) jobs(st *state, c *command) (ok, fail *state) {
	runs := false
	at, known := letters(c.argv, "", func(l byte, _ value.Value, _ int) { runs = runs || l == 'x' })
	w.write(st, 1, value.Unknown("the output of jobs"))
	if at >= len(c.argv) || known && !runs {
		return st, st
	}
	if !known {
		w.unreadAt(c.part, c.spanAt(at), "what jobs runs is not known: "+why(c.argv[at]))
	}
	return w.inner(st, c, at, "jobs -x", func(st *state, in *command, to string) (*state, *state) {
		return w.program(st, in, to)
	})
}

func (w *walker) waitVar(st *state, c *command) {
	letters(c.argv, "p", func(l byte, v value.Value, i int) {
		if l == 'p' {
			w.assignNamed(st, c, v, value.Number("a process's number"))
		}
	})
}
