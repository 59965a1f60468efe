package shell

import (
	"strings"

	"mayi/pkg/permissions"
	"mayi/pkg/shell/value"
)

// hash -p binds a name to a file.
func (w *walker) hash(st *state, c *command) {
	var path value.Value
	bound := false
	at, known := letters(c.argv, "p", func(l byte, v value.Value, _ int) {
		switch l {
		case 'p':
			path, bound = v, true
		case 'r':
			st.hashed = nil
		}
	})
	if !known && at < len(c.argv) && couldBe(c.argv[at], "-p") {
		w.unreadAt(c.part, c.spanAt(at), "hash may bind a program's name: "+why(c.argv[at]))
		return
	}
	if !bound {
		return
	}
	for i, v := range c.argv[at:] {
		name, ok := v.Text()
		if !ok {
			w.unreadAt(c.part, c.spanAt(at+i), "hash binds a name that is not known: "+why(v))
			continue
		}
		st.hashed = with(st.hashed, name, path)
	}
}

// enable switches builtins off, or loads new ones from a file.
func (w *walker) enable(st *state, c *command) {
	off := false
	at, known := letters(c.argv, "f", func(l byte, v value.Value, i int) {
		switch l {
		case 'n':
			off = true
		case 'f':
			w.setClass(c.part, permissions.Program)
			w.unreadAt(c.part, c.spanAt(i), "enable -f loads code into the shell")
			w.runsFile(st, c, i, v, "enable", false)
		}
	})
	if !known && at < len(c.argv) {
		w.unreadAt(c.part, c.spanAt(at), "what enable switches is not known: "+why(c.argv[at]))
	}
	for _, v := range c.argv[min(at, len(c.argv)):] {
		name, ok := v.Text()
		switch {
		case !ok:
			w.unreadAt(c.part, c.span, "what enable switches is not known: "+why(v))
		case off:
			st.disabled = with(st.disabled, name, true)
		default:
			st.disabled = without(st.disabled, name)
		}
	}
}

// history reads and writes its file.
func (w *walker) history(st *state, c *command) {
	kinds := []permissions.Kind{}
	at, known := letters(c.argv, "d", func(l byte, _ value.Value, _ int) {
		switch l {
		case 'a', 'w':
			kinds = append(kinds, permissions.FSWrite)
		case 'r', 'n':
			kinds = append(kinds, permissions.Read)
		}
	})
	if !known && at < len(c.argv) && couldBe(c.argv[at], "-w") {
		kinds = append(kinds, permissions.FSWrite, permissions.Read)
	}
	w.write(st, 1, value.Unknown("the history"))
	if len(kinds) == 0 {
		return
	}
	file, i := value.Unknown("the history file"), -1
	if at < len(c.argv) {
		file, i = c.argv[at].Single(), at
	} else if v := st.lookup("HISTFILE"); !v.never && !v.unset {
		file = v.val
	} else if home := st.lookup("HOME"); !home.never {
		file = value.Concat(home.val, value.Exact("/.bash_history"))
	}
	for _, k := range kinds {
		w.access(st, access{kind: k, path: file, origin: permissions.FromRedirect, part: c.part, span: c.spanAt(i)})
	}
}

// fc runs an editor and then what was edited, or an old command.
func (w *walker) fc(st *state, c *command) {
	list := false
	letters(c.argv, "e", func(l byte, _ value.Value, _ int) { list = list || l == 'l' })
	if list {
		w.write(st, 1, value.Unknown("the history"))
		return
	}
	w.setClass(c.part, permissions.Program)
	w.unreadAt(c.part, c.span, "fc runs commands from the history")
	st.forget("fc may have changed it")
}

// completion is bind, complete, compgen and compopt: some options hold commands.
func (w *walker) completion(st *state, c *command, name string) {
	values := "ACFGPSWoX"
	if name == "bind" {
		values = "fmqrux"
	}
	at, known := letters(c.argv, values, func(l byte, v value.Value, i int) {
		sub := st.clone()
		switch {
		case name == "bind" && l == 'x':
			text := v
			if t, ok := v.Text(); ok {
				if _, cmd, has := strings.Cut(t, ":"); has {
					text = value.Exact(strings.Trim(strings.TrimSpace(cmd), `"'`))
				}
			}
			w.codeValue(sub, c, i, text, "bind -x")
		case name == "bind" && l == 'f':
			w.access(st, access{kind: permissions.Read, path: v, origin: permissions.FromRedirect, part: c.part, span: c.spanAt(i)})
		case name != "bind" && (l == 'C' || l == 'F'):
			w.codeValue(sub, c, i, v, name+" -"+string(l))
		case name != "bind" && l == 'W':
			w.evalPrompt(sub, v, c.node)
		case name != "bind" && (l == 'G' || l == 'A' || l == 'f' || l == 'd'):
			path := value.Exact(".")
			if l == 'G' {
				path = value.Unknown("a pattern that " + name + " expands")
			}
			w.access(st, access{kind: permissions.Read, path: path, origin: permissions.FromRedirect, part: c.part, span: c.spanAt(i)})
		}
	})
	if !known && at < len(c.argv) {
		w.unreadAt(c.part, c.spanAt(at), "what "+name+" is told is not known: "+why(c.argv[at]))
	}
	if name == "compgen" && at < len(c.argv) {
		path := value.Concat(c.argv[at].Single(), value.Pattern("*"))
		w.access(st, access{kind: permissions.Read, path: path, origin: permissions.FromRedirect, part: c.part, span: c.spanAt(at), may: true})
	}
	w.write(st, 1, value.Unknown("the output of "+name))
}
