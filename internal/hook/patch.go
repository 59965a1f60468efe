package hook

import "strings"

// patched lists the files that a patch in the "*** Begin Patch" form adds,
// changes, removes or moves to. Blanks around a header are passed over, as
// those who apply patches do: a line that only looks like one names a file too
// many, never one too few.
func patched(text string) []any {
	var out []any
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for _, head := range []string{"*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:"} {
			if name, ok := strings.CutPrefix(line, head); ok {
				if name = strings.TrimSpace(name); name != "" {
					out = append(out, name)
				}
			}
		}
	}
	return out
}

// heredoc is the patch in a command that does nothing but apply one, which
// Codex takes for its own tool: apply_patch <<'WORD'. The word has to be quoted,
// else a shell would expand what is in the patch.
func heredoc(command string) (string, bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(command), "apply_patch")
	if !ok {
		return "", false
	}
	rest, ok = strings.CutPrefix(strings.TrimLeft(rest, " \t"), "<<")
	if !ok {
		return "", false
	}
	first, body, ok := strings.Cut(rest, "\n")
	first = strings.Trim(first, " \t")
	if !ok || len(first) < 3 || first[0] != '\'' && first[0] != '"' || first[len(first)-1] != first[0] {
		return "", false
	}
	word := first[1 : len(first)-1]
	if strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_") != "" {
		return "", false
	}
	lines := strings.Split(strings.TrimRight(body, "\n"), "\n")
	for i, line := range lines {
		if line == word {
			return strings.Join(lines[:i], "\n"), i == len(lines)-1
		}
	}
	return "", false
}
