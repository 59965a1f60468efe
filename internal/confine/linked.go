package confine

import (
	"path"
	"strings"

	"mayi/pkg/sandbox"
	"mayi/pkg/workspace"
)

// linked closes the places that the names of a rule lead to. A rule means the
// name that is used and the file behind it; the kernel is asked about the file
// alone.
type linked struct {
	roots []string
	// folders are those that were looked at, and where they lead.
	folders map[string]string
}

// add returns the patterns with those that are needed because a folder or a file
// that a rule names is a link. rules: all of them are a person's rules; otherwise
// those are that nothing opens.
func (l *linked) add(list []sandbox.Pattern, rules bool) []sandbox.Pattern {
	for _, p := range list[:len(list):len(list)] {
		if !rules && !p.Firm {
			continue
		}
		for _, glob := range l.named(p.Glob) {
			if real := l.real(glob); real != glob {
				p.Glob = real
				list = append(list, p)
			}
		}
	}
	return list
}

// named is the pattern where it is known in which folder it begins. One for
// every depth is looked for at the top of the workspace.
func (l *linked) named(glob string) []string {
	rest, floating := strings.CutPrefix(glob, "**/")
	switch {
	case !floating:
		return []string{glob}
	case strings.ContainsAny(rest, `*?[\`):
		return nil // it begins with what has no name
	}
	var out []string
	for _, r := range l.roots {
		out = append(out, path.Join(literal(r), rest))
	}
	return out
}

// real is the pattern with the folder in front of its first sign replaced by the
// one that it leads to.
func (l *linked) real(glob string) string {
	front, rest := plain(glob)
	if front == "" {
		return glob
	}
	to, seen := l.folders[front]
	if !seen {
		to = front
		if real, err := workspace.Canonical(front); err == nil {
			to = real
		}
		l.folders[front] = to
	}
	if to == front {
		return glob
	}
	return literal(to) + rest
}

// plain is the folder in front of a pattern's first sign, and the rest.
func plain(glob string) (front, rest string) {
	if !strings.ContainsAny(glob, signs) {
		return glob, ""
	}
	for at := glob; at != ""; {
		name, after, _ := strings.Cut(at[1:], "/")
		if strings.ContainsAny(name, signs) {
			bare := strings.NewReplacer(`\\`, "", `\*`, "", `\?`, "", `\[`, "").Replace(name)
			if strings.ContainsAny(bare, signs) {
				return front, at
			}
			name = strings.NewReplacer(`\\`, `\`, `\*`, "*", `\?`, "?", `\[`, "[").Replace(name)
		}
		front += "/" + name
		if at = ""; after != "" {
			at = "/" + after
		}
	}
	return front, ""
}

// signs are what is not itself in a pattern.
const signs = `*?[\`
