package shell

import (
	"mayi/pkg/permissions"
	"mayi/pkg/shell/value"
)

// maxReadings bounds in how many ways a command with words that may be missing
// is read.
const maxReadings = 8

// readings returns the command once for each way in which words that are one of
// a few, or missing, can turn out (rm $OPTS f with OPTS empty or -v). It returns
// nil where no word may be missing, or too many may.
func readings(c *command) []*command {
	total, optional := 1, false
	for _, v := range c.argv[1:] {
		if !v.Many() {
			continue
		}
		n := 2 // none of the names, or some
		if !globsOnly(v) {
			texts, ok := v.Unmarked().Texts()
			if !ok {
				return nil
			}
			n = len(texts)
		}
		total *= n
		optional = true
	}
	if !optional || total > maxReadings {
		return nil
	}
	out := []*command{{}}
	for i, v := range c.argv {
		var next []*command
		for _, head := range out {
			if !v.Many() {
				next = append(next, head.plus(v, c.words[i], c.spans[i]))
				continue
			}
			if globsOnly(v) {
				next = append(next, head, head.plus(v.Unmarked(), c.words[i], c.spans[i]))
				continue
			}
			texts, _ := v.Unmarked().Texts()
			for _, t := range texts {
				if t == "" {
					next = append(next, head)
					continue
				}
				next = append(next, head.plus(value.Exact(t), permissions.Word{Text: t, Known: true}, c.spans[i]))
			}
		}
		out = next
	}
	for i, r := range out {
		alt := *c
		alt.argv, alt.words, alt.spans = r.argv, r.words, r.spans
		out[i] = &alt
	}
	return out
}

// plus is the command with one more word.
func (c *command) plus(v value.Value, word permissions.Word, span permissions.Span) *command {
	return &command{
		argv:  append(c.argv[:len(c.argv):len(c.argv)], v),
		words: append(c.words[:len(c.words):len(c.words)], word),
		spans: append(c.spans[:len(c.spans):len(c.spans)], span),
	}
}

// globsOnly: v stands for names that match patterns, any number of them.
func globsOnly(v value.Value) bool {
	for _, alt := range v.Alternatives() {
		glob := false
		for _, p := range alt {
			if p.Kind != value.Lit && p.Kind != value.Glob {
				return false
			}
			glob = glob || p.Kind == value.Glob
		}
		if !glob {
			return false
		}
	}
	return true
}
