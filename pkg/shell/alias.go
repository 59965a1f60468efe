package shell

import (
	"strings"

	"mayi/pkg/shell/value"
)

// alias: its text is shown as the command that it stands for.
func (w *walker) alias(st *state, c *command) {
	for i, v := range c.argv[1:] {
		texts, ok := v.Texts()
		if !ok {
			w.unreadAt(c.part, c.spanAt(i+1), "the text of an alias is not known: "+why(v))
			continue
		}
		for _, t := range texts {
			name, text, has := strings.Cut(t, "=")
			if !has || name == "" {
				continue
			}
			st.aliases = with(st.aliases, name, value.Exact(text))
			sub := st.clone()
			sub.openParams()
			sub.aliases = nil
			if strings.TrimSpace(text) != "" {
				w.nested(text, sub, c.part, c.spanAt(i+1), "alias "+name)
			}
		}
	}
}

func (w *walker) unalias(st *state, c *command) {
	for _, v := range c.argv[1:] {
		if t, ok := v.Text(); ok && t == "-a" {
			st.aliases = nil
		} else if ok {
			st.aliases = without(st.aliases, t)
		}
	}
}

// aliased walks an alias's text with the words that follow.
func (w *walker) aliased(st *state, c *command, text value.Value) {
	texts, ok := text.Texts()
	if !ok {
		return
	}
	for _, t := range texts {
		var rest strings.Builder
		for i := 1; i < len(c.argv); i++ {
			rest.WriteByte(' ')
			arg, exact := c.argv[i].Text()
			if !exact {
				rest.WriteString(`"$mayi_unknown_word"`)
				continue
			}
			rest.WriteString("'" + strings.ReplaceAll(arg, "'", `'\''`) + "'")
		}
		sub := st.clone()
		sub.aliases = nil
		w.nested(t+rest.String(), sub, c.part, c.span, "an alias")
	}
}
