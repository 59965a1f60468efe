package shell

import (
	"strings"

	"mayi/pkg/permissions"
	"mayi/pkg/shell/value"

	"mvdan.cc/sh/v3/syntax"
)

// fields expands words the way a command's words are: braces, tilde,
// parameters, substitutions, splitting, globs, quotes. nodes, where not nil,
// receives the word that each field came from.
func (w *walker) fields(st *state, words []*syntax.Word, nodes *[]*syntax.Word) []value.Value {
	out := make([]value.Value, 0, len(words))
	note := func(word *syntax.Word, n int) {
		if nodes == nil {
			return
		}
		for range n {
			*nodes = append(*nodes, word)
		}
	}
	for _, word := range words {
		if !w.step() {
			out = append(out, value.Unknown("too much work").WithMany())
			note(word, 1)
			return out
		}
		if t, ok := plainWord(word); ok {
			out = append(out, value.Exact(t))
			note(word, 1)
			continue
		}
		had := len(out)
		variants, ok := w.braces(st, word)
		if !ok {
			// Too many words: evaluate once for what runs inside.
			b := w.newBuilder(st, word)
			b.parts(word.Parts, true)
			out = append(out, value.Unknown("a brace expansion with too many words").WithMany())
			note(word, 1)
			continue
		}
		for _, parts := range variants {
			b := w.newBuilder(st, word)
			b.braced = len(variants) > 1
			b.parts(parts, true)
			out = append(out, b.done()...)
		}
		note(word, len(out)-had)
	}
	return out
}

// plainWord returns the text of a word in which nothing is expanded.
func plainWord(word *syntax.Word) (string, bool) {
	if len(word.Parts) != 1 {
		return "", false
	}
	switch p := word.Parts[0].(type) {
	case *syntax.Lit:
		if strings.ContainsAny(p.Value, "\\*?[{~") {
			return "", false
		}
		return p.Value, true
	case *syntax.SglQuoted:
		return p.Value, !p.Dollar
	}
	return "", false
}

// builder assembles the fields that one word becomes.
type builder struct {
	w    *walker
	st   *state
	word *syntax.Word
	ifs  string
	// ifsOpen: the separators are not known.
	ifsOpen bool
	noglob  bool
	// assign: the word is the right side of an assignment.
	assign bool
	// braced: the word came out of a brace expansion, after which bash no
	// longer takes it for an assignment.
	braced bool
	// odd: what the field becomes is not followed.
	odd bool
	// operand: the text stands in ${x:-text}, where its own blanks split.
	operand bool
	// nosplit: expansions are neither split nor globbed.
	nosplit bool

	out    []value.Value
	cur    value.Value
	active bool
	many   bool
	live   bool // a pattern of the script itself stands in the field
}

func (w *walker) newBuilder(st *state, word *syntax.Word) *builder {
	b := &builder{w: w, st: st, word: word, noglob: st.opts.certain(optNoglob)}
	ifs := st.lookup("IFS")
	if t, ok := ifs.val.Text(); ok && !ifs.unset {
		b.ifs = t
	} else {
		b.ifsOpen = true
	}
	if ifs.never {
		b.ifs, b.ifsOpen = " \t\n", false
	}
	return b
}

func (b *builder) done() []value.Value {
	if b.active {
		b.flush()
	}
	return b.out
}

func (b *builder) flush() {
	v := b.cur
	if b.odd {
		v, b.odd = value.Unknown("a tilde before a colon"), false
	}
	if b.many {
		v = v.WithMany()
	}
	if b.live && v.HasGlob() {
		v = b.glob(v)
	}
	b.out = append(b.out, v)
	b.cur, b.active, b.many, b.live = value.Value{}, false, false, false
}

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

func (b *builder) add(v value.Value) {
	if v.Many() {
		b.many = true
	}
	b.cur = value.Concat(b.cur, v.Unmarked())
	b.active = true
}

// parts expands word parts outside of quotes.
func (b *builder) parts(parts []syntax.WordPart, start bool) {
	for i, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			text := p.Value
			if start && i == 0 {
				text = b.tilde(text, len(parts) == 1, b.assign || b.nosplit)
			}
			b.literal(text, parts[i+1:])
		case *syntax.SglQuoted:
			b.add(value.Exact(sglText(p)))
		case *syntax.DblQuoted:
			b.dblQuoted(p)
		case *syntax.ParamExp:
			b.param(p)
		case *syntax.CmdSubst:
			b.split(b.w.cmdSubst(b.st, p))
		case *syntax.ArithmExp:
			b.split(b.w.arith(b.st, p.X))
		case *syntax.ProcSubst:
			b.add(b.w.procSubst(b.st, p))
		case *syntax.ExtGlob:
			b.extGlob(p)
		case *syntax.BraceExp:
			for _, e := range p.Elems {
				b.parts(e.Parts, false)
			}
		default:
			b.w.unread(p, "a kind of word that is not known")
			b.add(value.Unknown("a kind of word that is not known").WithMany())
		}
	}
}

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

// literal adds unquoted text of the script: backslashes quote, globs are live.
func (b *builder) literal(text string, rest []syntax.WordPart) {
	if text == "" {
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
	star := value.Pattern("*")
	if strings.Contains(p.Pattern.Value, ".") {
		star = value.Union(star, value.Concat(value.Exact("."), star))
	}
	b.live = true
	b.add(star)
}

// split adds the text of an unquoted expansion.
func (b *builder) split(v value.Value) {
	if b.nosplit || b.assign {
		b.add(v)
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

// dblQuoted adds a double-quoted string; "$@" in it makes several fields.
func (b *builder) dblQuoted(q *syntax.DblQuoted) {
	list := false
	for _, p := range q.Parts {
		if pe, ok := p.(*syntax.ParamExp); ok && listParam(pe) {
			list = true
		}
	}
	if !list || b.assign || b.nosplit {
		b.add(b.w.quotedParts(b.st, q.Parts))
		return
	}
	if len(q.Parts) > 1 {
		b.active = true
	}
	for _, p := range q.Parts {
		pe, ok := p.(*syntax.ParamExp)
		if !ok || !listParam(pe) {
			b.add(b.w.quotedParts(b.st, []syntax.WordPart{p}))
			continue
		}
		e := b.w.param(b.st, pe, true)
		if !e.isList || e.star {
			b.add(e.scalar(b.st))
			continue
		}
		if e.open {
			b.add(value.Unknown("how many words " + b.w.text(pe) + " holds is not known").WithMany())
			continue
		}
		for i, v := range e.list {
			if i > 0 {
				b.flush()
			}
			b.add(v.Unmarked())
		}
	}
}

// param adds an unquoted parameter expansion.
func (b *builder) param(pe *syntax.ParamExp) {
	if word := certainOperand(b, pe); word != nil {
		saved := b.operand
		b.operand = true
		b.parts(word.Parts, true)
		b.operand = saved
		return
	}
	e := b.w.param(b.st, pe, false)
	if !e.isList || b.assign || b.nosplit {
		b.split(e.scalar(b.st))
		return
	}
	if e.open {
		b.add(value.Unknown("how many words " + b.w.text(pe) + " holds is not known").WithMany())
		return
	}
	for i, v := range e.list {
		if i > 0 && b.active {
			b.flush()
		}
		b.split(v)
	}
}

// certainOperand returns the operand of ${x:-word} or ${x:+word} where it
// certainly is what the expansion becomes, so that its own quotes decide how
// it splits.
func certainOperand(b *builder, pe *syntax.ParamExp) *syntax.Word {
	if pe.Exp == nil || pe.Exp.Word == nil || pe.Excl || pe.Length || pe.Index != nil || pe.Param == nil {
		return nil
	}
	if b.nosplit || b.assign {
		return nil
	}
	name := pe.Param.Value
	if !syntax.ValidName(name) && !isDigits(name) {
		return nil
	}
	missing, present := presence(b.w.get(b.st, name, nil), pe.Exp.Op)
	switch pe.Exp.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull:
		if missing {
			return pe.Exp.Word
		}
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		if present {
			return pe.Exp.Word
		}
	}
	return nil
}
