package knowledge

import (
	"strings"

	"mayi/pkg/shell/value"
)

// Steer is what a variable assignment does to the programs that see it.
// The zero Steer is the strictest.
type Steer uint8

const (
	// SteersProgram: the variable names a program, loads code, or decides which
	// program is found (LD_PRELOAD, PATH, GIT_SSH_COMMAND, NODE_OPTIONS). What
	// the command then runs cannot be read: the caller treats it as unread.
	SteersProgram Steer = iota
	// SteersFile: the variable moves files that are read or written (HOME,
	// TMPDIR, GIT_DIR, KUBECONFIG): paths and settings are no longer known.
	SteersFile
	// SteersNetwork: the variable sends traffic through or to another host
	// (https_proxy, DOCKER_HOST): hosts that the command names are not the
	// ones that are reached.
	SteersNetwork
	// SteersNothing: no program treats the variable as a program, a file or a
	// host (LANG, TZ, NO_COLOR, and every name that the table does not know).
	SteersNothing
)

// String names the steer for people.
func (s Steer) String() string {
	switch s {
	case SteersFile:
		return "file"
	case SteersNetwork:
		return "network"
	case SteersNothing:
		return "nothing"
	}
	return "program"
}

// EnvEffect says what assigning v to the variable name steers in a program
// that is run with it, and why in a few words ("" for [SteersNothing]).
// Use it for assignments before a command (X=1 cmd), for Use.Env, and for
// variables that a script exports. It is safe for concurrent use.
func (b *Base) EnvEffect(name string, v value.Value) (Steer, string) {
	e, ok := b.envEntry(name)
	if !ok {
		return SteersNothing, ""
	}
	if len(e.Harmless) > 0 {
		if texts, known := v.Texts(); known && allIn(texts, e.Harmless) {
			return SteersNothing, ""
		}
	}
	if e.steer == SteersNothing {
		return SteersNothing, ""
	}
	return e.steer, name + " " + e.Why
}

// Heedless reports whether the program, by its bare name, is known to look at
// no variable of that name: it is compiled, and starts nothing that would. Of
// every other program nobody knows what it is written in. It is safe for
// concurrent use.
func (b *Base) Heedless(program, variable string) bool {
	vars := b.env()
	if !hasWord(vars.heedless, program) {
		return false
	}
	for _, p := range vars.ignored {
		if p.matches(variable) {
			return true
		}
	}
	return false
}

// envEntry finds the entry for a name: its own, else the longest pattern with
// one star that it matches.
func (b *Base) envEntry(name string) (*envVar, bool) {
	vars := b.env()
	if e := vars.exact(name); e != nil {
		return e, true
	}
	best, found := envPattern{}, false
	for _, p := range vars.patterns {
		if p.matches(name) && (!found || p.size() > best.size()) {
			best, found = p, true
		}
	}
	return best.envVar, found
}

func allIn(texts, set []string) bool {
next:
	for _, t := range texts {
		for _, s := range set {
			if s == t || oneWordAfter(s, t) {
				continue next
			}
		}
		return false
	}
	return true
}

// oneWordAfter reports whether s is "prefix*" and t that prefix and no more
// than one plain word: a blank would begin another option.
func oneWordAfter(s, t string) bool {
	prefix, star := strings.CutSuffix(s, "*")
	rest, ok := strings.CutPrefix(t, prefix)
	return star && ok && prefix != "" && !strings.ContainsAny(rest, " \t\n\r'\"\\$`;&|<>(){}*?")
}
