package runner

import "strings"

// Plain returns the words of a command line that is one program with its
// arguments and nothing that a shell would have to read: then a shell in
// between changes nothing but the time that it takes. What is in doubt is not
// plain.
func Plain(line string) (words []string, ok bool) {
	if strings.ContainsFunc(line, func(c rune) bool { return c != ' ' && !meansItself(c) }) {
		return nil, false
	}
	words = strings.Fields(line)
	if len(words) == 0 || strings.Contains(words[0], "=") || bashDoes(words[0]) {
		return nil, false
	}
	return words, true
}

// meansItself reports whether no shell reads anything into the character,
// wherever it stands.
func meansItself(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("_@%+=:,./-", c)
}

// bashDoes reports whether bash does something of its own at the word. true and
// false are left out: the programs do the same.
func bashDoes(word string) bool {
	switch word {
	case ".", ":", "alias", "bg", "bind", "break", "builtin", "caller", "case", "cd", "command", "compgen", "complete", "compopt",
		"continue", "coproc", "declare", "dirs", "disown", "do", "done", "echo", "elif", "else", "enable", "esac", "eval", "exec",
		"exit", "export", "fc", "fg", "fi", "for", "function", "getopts", "hash", "help", "history", "if", "in", "jobs", "kill",
		"let", "local", "logout", "mapfile", "popd", "printf", "pushd", "pwd", "read", "readarray", "readonly", "return", "select",
		"set", "shift", "shopt", "source", "suspend", "test", "then", "time", "times", "trap", "type", "typeset", "ulimit", "umask",
		"unalias", "unset", "until", "wait", "while":
		return true
	}
	return false
}
