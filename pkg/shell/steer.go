package shell

import "mayi/pkg/shell/knowledge"

// plain: the program runs no other program and no code.
func plain(use knowledge.Use) bool {
	if len(use.Runs) > 0 || len(use.Inline) > 0 || use.Workspace != "" || use.Executes != "" {
		return false
	}
	switch use.Stdin {
	case knowledge.StdinScript, knowledge.StdinCode, knowledge.StdinArgs:
		return false
	}
	for _, a := range use.Accesses {
		if a.Kind == knowledge.RunFile {
			return false
		}
	}
	return true
}

// steering reports, at the part, variables that steer what the program does.
// plain is the name of a program that runs nothing here, "" for any other. It
// returns whether its traffic goes elsewhere.
func (w *walker) steering(st *state, c *command, plain string) (network bool) {
	for _, a := range c.prefix {
		kind, reason := w.envEffect(st, a.name, a.val)
		if kind == knowledge.SteersNothing || w.a.kb.Heedless(plain, a.name) {
			continue
		}
		network = network || kind == knowledge.SteersNetwork
		w.unreadAt(c.part, c.span, "the variable "+reason)
	}
	for _, s := range st.steers {
		if w.a.kb.Heedless(plain, s.name) {
			continue
		}
		network = network || s.network
		w.unreadAt(c.part, c.span, "the variable "+s.why)
	}
	return network
}
