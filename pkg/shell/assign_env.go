package shell

import (
	"slices"
	"strings"

	"mayi/pkg/shell/knowledge"
	"mayi/pkg/shell/value"

	"mvdan.cc/sh/v3/syntax"
)

// shellVariable handles the variables through which an assignment changes the
// shell itself, or that hold text which it expands or runs.
func (w *walker) shellVariable(st *state, name string, v value.Value, n syntax.Node) {
	switch name {
	case "PS4", "PS0", "PS1", "PS2":
		w.evalPrompt(st, v, n)
	case "PROMPT_COMMAND":
		texts, ok := v.Texts()
		if !ok {
			w.unread(n, "the text of PROMPT_COMMAND is not known")
		}
		for _, t := range texts {
			w.nested(t, st.clone(), w.parent, w.spanOf(n), name)
		}
	case "BASH_CMDS", "BASH_ALIASES":
		w.unread(n, name+" binds names of programs to something else")
	case "DIRSTACK":
		st.stack = []value.Value{value.Unknown("DIRSTACK was assigned")}
	case "POSIXLY_CORRECT":
		st.opts = st.opts.set(optPosix, true)
	}
}

// steer notes what setting the variable does to programs that run later.
func (w *walker) steer(st *state, name string, v value.Value) {
	if cur := st.lookup(name); (name == "TMP" || name == "TEMP") && cur.perhaps {
		return // a script's own name for a file, as long as it is not exported
	}
	kind, why := w.envEffect(st, name, v)
	if kind == knowledge.SteersNothing {
		return
	}
	s := steer{name: name, why: why, network: kind == knowledge.SteersNetwork}
	if !containsSteer(st.steers, s) {
		st.steers = append(st.steers[:len(st.steers):len(st.steers)], s)
	}
}

// envEffect is the knowledge base's answer, but for a PATH that only gains
// trusted directories.
func (w *walker) envEffect(st *state, name string, v value.Value) (knowledge.Steer, string) {
	switch name {
	case "PATH":
		if trustedPath(v, st.env.Vars["PATH"]) {
			return knowledge.SteersNothing, ""
		}
	case "PWD", "OLDPWD", "CDPATH", "IFS", "PS1", "PS2", "PS3", "OPTIND", "OPTARG", "OPTERR", "REPLY":
		return knowledge.SteersNothing, ""
	}
	return w.a.kb.EnvEffect(name, v)
}

// trustedPath reports whether every entry of a PATH is a system directory or
// the PATH that was there before.
func trustedPath(v value.Value, before string) bool {
	for _, alt := range v.Alternatives() {
		var b strings.Builder
		for _, p := range alt {
			switch {
			case p.Kind == value.Lit:
				b.WriteString(p.Text)
			case p.Kind == value.Any && p.Text == "$PATH is not known":
				b.WriteString("/bin")
			default:
				return false
			}
		}
		for _, dir := range strings.Split(b.String(), ":") {
			if !trustedDir(dir) && !(dir != "" && dir[0] == '/' && slices.Contains(strings.Split(before, ":"), dir)) {
				return false
			}
		}
	}
	return true
}
