package hook

import (
	"strings"
	"unicode"
)

// patched lists the files that a patch in the "*** Begin Patch" form adds,
// changes, removes or moves to. Those who apply patches differ in what ends a
// line, what is a blank around a header and where a name ends: every reading
// counts, so that a line names a file too many, never one too few.
func patched(text string) []any {
	var out []any
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		for _, part := range append([]string{line}, strings.Split(strings.TrimRight(line, "\r\n"), "\r")...) {
			for _, name := range headed(part) {
				if name != "" && !seen[name] {
					seen[name] = true
					out = append(out, name)
				}
			}
		}
	}
	return out
}

// headed is what a patch's line can be read to name, nothing where it is no
// header.
func headed(line string) []string {
	line = strings.TrimLeftFunc(line, blank)
	for _, head := range []string{"*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:"} {
		if name, ok := strings.CutPrefix(line, head); ok {
			short, _, _ := strings.Cut(name, ":")
			return []string{
				strings.TrimFunc(name, blank), strings.TrimSpace(name), strings.Trim(name, " \t\r\n"), strings.TrimFunc(short, blank),
			}
		}
	}
	return nil
}

// blank reports whether r is a blank to anybody: JavaScript trims the byte order
// mark, too.
func blank(r rune) bool { return r == '\ufeff' || unicode.IsSpace(r) }

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
