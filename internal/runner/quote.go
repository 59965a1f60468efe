package runner

import "strings"

// Quote is the word as any shell has to be given it. An = is quoted, since in a
// command's first word it would make an assignment.
func Quote(word string) string {
	if word != "" && !strings.ContainsFunc(word, func(c rune) bool { return c == '=' || !meansItself(c) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Join is a program with its arguments as one command line.
func Join(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = Quote(w)
	}
	return strings.Join(out, " ")
}
