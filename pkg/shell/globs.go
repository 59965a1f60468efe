package shell

import (
	"strings"

	"mayi/pkg/permissions"
	"mayi/pkg/shell/value"

	"mvdan.cc/sh/v3/syntax"
)

// glob finishes a field that the shell expands to file names: reading the
// directory is an effect of the shell itself.
func (b *builder) glob(v value.Value) value.Value {
	o := b.st.opts
	ignore := b.st.lookup("GLOBIGNORE")
	if o.possible(optDotglob) || !ignore.never {
		v = value.Concat(value.Unknown("dotglob changes what a pattern matches"), value.Value{})
		return v.WithMany()
	}
	if o.possible(optNullglob) || o.possible(optFailglob) {
		v = v.WithMany()
	}
	b.w.access(b.st, access{kind: permissions.Read, path: v, origin: permissions.FromRedirect, node: b.word, may: true})
	return v
}

// literal adds unquoted text of the script: backslashes quote, globs are live.
func (b *builder) literal(text string, rest []syntax.WordPart) {
	if text == "" {
		return
	}
	if b.operand && b.ifsOpen && !b.nosplit && !b.assign {
		b.add(value.Unknown("it is split by separators that are not known").WithMany())
		return
	}
	if b.operand && !b.nosplit && !b.assign && strings.ContainsAny(text, b.ifs) {
		b.operandText(text, rest)
		return
	}
	if !strings.ContainsAny(text, `\*?[`) {
		b.add(value.Exact(text))
		return
	}
	var lit strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '\\' && i+1 < len(text) {
			i++
			if text[i] != '\n' {
				lit.WriteByte(text[i])
			}
			continue
		}
		n := 0
		if !b.noglob && !b.assign && !b.nosplit {
			n = globAt(text, i)
		}
		if c == '[' && n == 0 && bracketLater(rest) && !b.noglob && !b.nosplit && !b.assign {
			b.add(value.Concat(value.Exact(lit.String()), value.Unknown("a bracket pattern with an expansion in it")))
			lit.Reset()
			continue
		}
		if n == 0 {
			lit.WriteByte(c)
			continue
		}
		if lit.Len() > 0 {
			b.add(value.Exact(lit.String()))
			lit.Reset()
		}
		b.live = true
		b.add(value.Pattern(b.globText(text[i : i+n])))
		i += n - 1
	}
	if lit.Len() > 0 || !b.active {
		b.add(value.Exact(lit.String()))
	}
}

// operandText splits literal text at its unquoted separators.
func (b *builder) operandText(text string, rest []syntax.WordPart) {
	start := 0
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' {
			i++
			continue
		}
		if strings.IndexByte(b.ifs, text[i]) < 0 {
			continue
		}
		b.operand = false
		b.literal(text[start:i], nil)
		b.operand = true
		if blank := strings.IndexByte(" \t\n", text[i]) >= 0; b.active || !blank {
			b.active = true
			b.flush()
		}
		start = i + 1
	}
	b.operand = false
	b.literal(text[start:], rest)
	b.operand = true
}

func bracketLater(parts []syntax.WordPart) bool {
	for _, p := range parts {
		if lit, ok := p.(*syntax.Lit); ok && strings.Contains(lit.Value, "]") {
			return true
		}
	}
	return false
}

// globText is the pattern in the form that effects use: ** only where it
// crosses directories.
func (b *builder) globText(p string) string {
	if p == "**" && !b.st.opts.possible(optGlobstar) {
		return "*"
	}
	return p
}

// globAt returns the length of the glob operator at text[i], or 0.
func globAt(text string, i int) int {
	switch text[i] {
	case '?':
		return 1
	case '*':
		n := i
		for n < len(text) && text[n] == '*' {
			n++
		}
		return min(n-i, 2)
	case '[':
		j := i + 1
		if j < len(text) && (text[j] == '!' || text[j] == '^') {
			j++
		}
		if j < len(text) && text[j] == ']' {
			j++
		}
		for ; j < len(text); j++ {
			switch text[j] {
			case ']':
				return j + 1 - i
			case '/':
				return 0
			case '[':
				if j+1 < len(text) && strings.IndexByte(":.=", text[j+1]) >= 0 {
					if k := strings.Index(text[j+2:], text[j+1:j+2]+"]"); k >= 0 {
						j += k + 3
					}
				}
			case '\\':
				j++
			}
		}
	}
	return 0
}

func (b *builder) extGlob(p *syntax.ExtGlob) {
	if b.noglob || b.nosplit || b.assign {
		b.add(value.Exact(p.Op.String() + p.Pattern.Value + ")"))
		return
	}
	if strings.ContainsAny(p.Pattern.Value, "$`") {
		b.w.unread(p, "an expansion inside an extended pattern")
		b.add(value.Unknown("an expansion inside an extended pattern").WithMany())
		return
	}
	if !b.st.opts.certain(optExtglob) && qualifies(p.Pattern.Value) {
		b.w.unread(p, "zsh runs the code in "+p.Op.String()+p.Pattern.Value+")")
	}
	star := value.Pattern("*")
	if strings.Contains(p.Pattern.Value, ".") {
		star = value.Union(star, value.Concat(value.Exact("."), star))
	}
	b.live = true
	b.add(star)
}

// qualifies: zsh reads the text behind a pattern as conditions that files have
// to meet, among them code that it runs: e:CODE: and +NAME.
func qualifies(pattern string) bool {
	for i := 0; i+1 < len(pattern); i++ {
		next := pattern[i+1]
		word := next == '_' || next >= '0' && next <= '9' || next|0x20 >= 'a' && next|0x20 <= 'z'
		if pattern[i] == '+' && word {
			return true
		}
		end := next
		if k := strings.IndexByte("([{<", next); k >= 0 {
			end = ")]}>"[k]
		}
		if pattern[i] == 'e' && !word && next != '|' && strings.IndexByte(pattern[i+2:], end) >= 0 {
			return true
		}
	}
	return false
}
