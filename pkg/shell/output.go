package shell

import (
	"strings"

	"mayi/pkg/shell/value"

	"mvdan.cc/sh/v3/syntax"
)

// outputOf is the output of a few programs whose output follows from their
// arguments and input, or is a number.
func outputOf(st *state, c *command, name string) (value.Value, bool) {
	args := make([]string, 0, len(c.argv))
	exact := true
	for _, v := range c.argv[1:] {
		t, ok := v.Text()
		exact = exact && ok
		args = append(args, t)
	}
	line := func(v value.Value) (value.Value, bool) {
		return value.Concat(v, value.Exact("\n")), true
	}
	switch name {
	case "cat", "tee":
		if exact && (name == "tee" || len(args) == 0 || len(args) == 1 && args[0] == "-") && !optional(args) && st.fds.get(0).kind == flowText {
			return input(st), true
		}
	case "git":
		if v, ok := gitOutput(args); exact && ok {
			return line(v)
		}
	case "nproc":
		return line(value.Number("the number of processors"))
	case "date":
		if exact && len(args) == 1 && (args[0] == "+%s" || args[0] == "+%Y" || args[0] == "+%Y%m%d" || args[0] == "+%Y%m%d%H%M%S" || args[0] == "+%F" || args[0] == "+%H%M%S") {
			if args[0] == "+%F" {
				return line(value.Pattern("[0-9]*"))
			}
			return line(value.Number("the date"))
		}
	case "id":
		if exact && len(args) == 1 && (args[0] == "-u" || args[0] == "-g") {
			return line(value.Number("an id"))
		}
	case "wc":
		if exact && len(args) == 1 && (args[0] == "-l" || args[0] == "-c" || args[0] == "-w" || args[0] == "-m") {
			return line(value.Number("a count"))
		}
	case "grep", "egrep", "fgrep":
		if exact && len(args) > 0 && st.fds.get(0).kind == flowText && (args[0] == "-c" || args[0] == "-ci" || args[0] == "-ic") && len(args) == 2 {
			return line(value.Number("a count"))
		}
	case "basename":
		if len(args) == 1 && !optional(args) || len(args) == 2 && exact && !optional(args) {
			return baseName(c.argv[1:], line)
		}
	case "dirname":
		if len(args) == 1 && !optional(args) {
			if out, ok := c.argv[1].Map(dirName); ok {
				return line(out)
			}
		}
	case "mktemp":
		tmp := st.lookup("TMPDIR")
		if exact && (tmp.never || !isAssigned(st, "TMPDIR")) {
			if name, ok := scratchMade(args); ok {
				return line(name)
			}
		}
	}
	return value.Value{}, false
}

func isAssigned(st *state, name string) bool {
	if _, ok := st.vars[name]; ok {
		return true
	}
	_, ok := st.env.Vars[name]
	return ok
}

func optional(args []string) bool {
	for _, a := range args {
		if len(a) > 1 && a[0] == '-' {
			return true
		}
	}
	return false
}

func baseName(args []value.Value, line func(value.Value) (value.Value, bool)) (value.Value, bool) {
	suffix := ""
	if len(args) == 2 {
		suffix, _ = args[1].Text()
	}
	out, ok := args[0].Map(func(s string) string {
		t := strings.TrimRight(s, "/")
		if t == "" && s != "" {
			return "/"
		}
		t = t[strings.LastIndexByte(t, '/')+1:]
		if t != suffix {
			t = strings.TrimSuffix(t, suffix)
		}
		return t
	})
	if ok {
		return line(out)
	}
	// Of a path that is not known the base name may be "..".
	if out, ok = trimPieces(args[0], []token{{kind: '*'}, {kind: 'c', r: '/'}}, syntax.RemLargePrefix); !ok {
		return value.Value{}, false
	}
	if suffix != "" {
		out = trim(out, tokens(escapeGlob(suffix)), true, syntax.RemSmallSuffix)
	}
	return line(out)
}

func dirName(s string) string {
	t := strings.TrimRight(s, "/")
	if t == "" {
		if s == "" {
			return "."
		}
		return "/"
	}
	i := strings.LastIndexByte(t, '/')
	if i < 0 {
		return "."
	}
	if t = strings.TrimRight(t[:i], "/"); t == "" {
		return "/"
	}
	return t
}
