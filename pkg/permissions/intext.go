package permissions

import (
	"cmp"
	"slices"
	"strings"
)

// inText returns a rule that a word may match which is the text of a command:
// what a program that is not known may hand to a shell (pwsh -c 'rm x').
func (s *ruleSet) inText(w Word) *Rule {
	texts := w.OneOf
	if w.Known {
		texts = []string{w.Text}
	}
	for _, text := range texts {
		if !strings.ContainsAny(text, " \t\n;|&") {
			continue // one word, which was tried
		}
		if _, value, has := strings.Cut(text, "="); has && strings.HasPrefix(text, "-") {
			text = value
		}
		for segment := range strings.FieldsFuncSeq(text, ends) {
			if words := guessed(segment); len(words) > 0 {
				if sure, maybe := s.commands.liberal(words, true); sure != nil || maybe != nil {
					return cmp.Or(sure, maybe)
				}
			}
		}
	}
	return nil
}

// ends reports whether a command may end at the character, in most shells.
func ends(c rune) bool { return strings.ContainsRune(";|&(){}`\n", c) }

// guessed are the words of a simple command, from its own name on: assignments,
// keywords and wrappers before it do not count.
func guessed(segment string) []Word {
	fields := strings.Fields(segment)
	for len(fields) > 0 && passedOver(fields[0]) {
		fields = fields[1:]
	}
	words := make([]Word, len(fields))
	for i, f := range fields {
		words[i] = Word{Text: strings.Trim(f, `"'\`), Known: true}
	}
	return words
}

func passedOver(word string) bool {
	if name, _, is := strings.Cut(word, "="); is && name != "" {
		return true
	}
	return strings.HasPrefix(word, "-") || slices.Contains([]string{"!", "if", "then", "else", "do", "while", "time", "sudo", "doas", "env", "exec", "command", "nohup", "$"}, word)
}
