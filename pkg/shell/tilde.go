package shell

import (
	"strings"

	"mayi/pkg/shell/value"

	"mvdan.cc/sh/v3/syntax"
)

// tilde expands a leading tilde (and, in assignments, one after a colon). It
// adds what it expands and returns the rest of the text.
func (b *builder) tilde(text string, whole, assign bool) string {
	if name, rest, ok := strings.Cut(text, "="); ok && !assign && !b.braced && !b.nosplit && syntax.ValidName(name) && strings.HasPrefix(rest, "~") {
		// A word that looks like an assignment (dd of=~/x) is expanded as one.
		b.add(value.Exact(name + "="))
		return b.tilde(rest, whole, true)
	}
	for {
		if !strings.HasPrefix(text, "~") {
			if !assign {
				return text
			}
			i := strings.Index(text, ":~")
			if i < 0 {
				return text
			}
			b.literal(text[:i+1], nil)
			text = text[i+1:]
		}
		end := strings.IndexAny(text, "/:")
		if end >= 0 && text[end] == ':' && !assign && !whole {
			// bash leaves what follows as it stands, expansions and all.
			b.odd = true
			return text
		}
		prefix := text
		if end >= 0 {
			prefix = text[:end]
		}
		if (end < 0 && !whole) || strings.ContainsAny(prefix, `\*?[{`) {
			return text
		}
		v, ok := b.w.home(b.st, prefix)
		if !ok {
			return text
		}
		b.add(v)
		text = text[len(prefix):]
		if !assign {
			return text
		}
		if i := strings.Index(text, ":~"); i >= 0 {
			b.literal(text[:i+1], nil)
			text = text[i+1:]
			continue
		}
		return text
	}
}
