package shell

import (
	"strings"

	"mayi/pkg/shell/value"
)

// split adds the text of an unquoted expansion.
func (b *builder) split(v value.Value) {
	if b.nosplit || b.assign {
		b.add(v)
		return
	}
	if b.splitNames(v) {
		return
	}
	if b.ifsOpen {
		if !v.Integer() || v.Many() {
			v = value.Unknown("it is split by separators that are not known").WithMany()
		}
		b.add(v)
		return
	}
	if t, ok := v.Text(); ok {
		b.splitText(t)
		return
	}
	if texts, ok := v.Texts(); ok {
		empty := false
		for _, t := range texts {
			if strings.ContainsAny(t, b.ifs) || (!b.noglob && strings.ContainsAny(t, `*?[\`)) {
				b.add(value.Unknown("it is one of several values that split into words").WithMany())
				return
			}
			empty = empty || t == ""
		}
		b.add(v)
		b.many = b.many || empty
		return
	}
	if v.HasGlob() {
		b.splitGlob(v)
	}
	for _, alt := range v.Alternatives() {
		for _, p := range alt {
			if p.Kind == value.Any {
				b.add(v)
				b.many = true
				return
			}
			if (p.Kind == value.Lit && strings.ContainsAny(p.Text, b.ifs)) ||
				(p.Kind == value.Num && strings.ContainsAny(b.ifs, "-0123456789")) {
				b.add(value.Unknown("it splits into words that are not known").WithMany())
				return
			}
		}
	}
	b.add(v)
}

func (b *builder) splitText(t string) {
	if !strings.ContainsAny(t, b.ifs) {
		if t != "" {
			b.expanded(t)
		}
		return
	}
	afterBlank := false
	start := -1
	for i := 0; i < len(t); i++ {
		c := t[i]
		if strings.IndexByte(b.ifs, c) < 0 {
			afterBlank = false
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			b.expanded(t[start:i])
			start = -1
		}
		if c == ' ' || c == '\t' || c == '\n' {
			if b.active {
				b.flush()
				afterBlank = true
			}
			continue
		}
		if afterBlank {
			afterBlank = false
			continue
		}
		b.active = true
		b.flush()
	}
	if start >= 0 {
		b.expanded(t[start:])
	}
}

// expanded adds text that came out of an expansion, its globs live.
func (b *builder) expanded(t string) {
	if b.noglob || !strings.ContainsAny(t, "*?[") {
		b.add(value.Exact(t))
		return
	}
	if strings.Contains(t, `\`) {
		b.add(value.Unknown("a pattern with backslashes that came out of an expansion").WithMany())
		return
	}
	b.literal(t, nil)
}
