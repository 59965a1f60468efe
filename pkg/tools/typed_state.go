package tools

import (
	"slices"
	"strings"

	"mayi/pkg/permissions"
)

// An interactive shell can be told to run things by itself: at every prompt
// (the prompt's text is expanded) and at a key (bind). A command line that is
// run on its own cannot, so its reading knows nothing of this, and it is
// looked for here: in the text as it is typed, and in the words as the shell
// will see them.

// namesPrompt reports whether the text holds the name of a prompt variable.
func namesPrompt(text string) bool {
	for _, n := range []string{"PS0", "PS1", "PS2", "PS3", "PS4"} {
		if strings.Contains(text, n) {
			return true
		}
	}
	return false
}

// unmarked is the text without what can split a name: quotes, backslashes and
// continued lines.
func unmarked(text string) string {
	return strings.NewReplacer("\\\n", "", `\`, "", `"`, "", `'`, "").Replace(text)
}

// hidesPromptCode says why the typed block could make the shell run something
// later without anybody's decision, "" where it cannot.
func hidesPromptCode(block string, call permissions.Call) string {
	const prompt = "it changes the shell's prompt, whose text is run at every prompt"
	keyBuiltins := []string{"bind", "enable", "complete", "compopt", "fc", "history"}
	// naming are builtins that set a variable whose name is one of their words.
	naming := []string{"declare", "typeset", "local", "export", "readonly", "printf", "read", "mapfile", "readarray", "getopts", "wait", "let", "eval"}
	if namesPrompt(unmarked(block)) {
		return prompt
	}
	for _, p := range call.Parts {
		name := commandName(p.Words)
		if slices.Contains(keyBuiltins, name) {
			return name + " can make the shell run something by itself"
		}
		for _, w := range p.Words {
			for _, text := range append(w.OneOf, w.Text) {
				if slices.Contains(naming, name) && (namesPrompt(text) || !w.Known && len(w.OneOf) == 0) {
					return "the variable that " + name + " sets cannot be told from the prompt's"
				}
			}
		}
	}
	return ""
}

// commandName is the first word, looked for behind builtin and command.
func commandName(words []permissions.Word) string {
	for _, w := range words {
		if w.Text != "builtin" && w.Text != "command" && !strings.HasPrefix(w.Text, "-") {
			return w.Text
		}
	}
	return ""
}
