package shell

import (
	"strings"

	"mayi/pkg/shell/value"

	"mvdan.cc/sh/v3/syntax"
)

// fields expands words the way a command's words are: braces, tilde,
// parameters, substitutions, splitting, globs, quotes. nodes, where not nil,
// receives the word that each field came from.
func (w *walker) fields(st *state, words []*syntax.Word, nodes *[]*syntax.Word) []value.Value {
	out := make([]value.Value, 0, len(words))
	for _, word := range words {
		if !w.step() {
			out = append(out, value.Unknown("too much work").WithMany())
			note(nodes, word, 1)
			return out
		}
		if t, ok := plainWord(word); ok {
			out = append(out, value.Exact(t))
			note(nodes, word, 1)
			continue
		}
		had := len(out)
		variants, ok := w.braces(st, word)
		if !ok {
			// Too many words: evaluate once for what runs inside.
			w.steps -= 4 * maxBraces
			b := w.newBuilder(st, word)
			b.parts(word.Parts, true)
			out = append(out, value.Unknown("a brace expansion with too many words").WithMany())
			note(nodes, word, 1)
			continue
		}
		if len(variants) > 1 {
			// Each variant is put together and worked out as a word of its own.
			w.steps -= len(variants) * (4 + len(variants[0]))
		}
		for _, parts := range variants {
			b := w.newBuilder(st, word)
			b.braced = len(variants) > 1
			b.parts(parts, true)
			out = append(out, b.done()...)
		}
		note(nodes, word, len(out)-had)
	}
	return out
}

// note records where n fields came from.
func note(nodes *[]*syntax.Word, word *syntax.Word, n int) {
	if nodes == nil {
		return
	}
	for range n {
		*nodes = append(*nodes, word)
	}
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
			all := value.Unknown("how many words " + b.w.text(pe) + " holds is not known")
			if len(q.Parts) == 1 && allParams(pe) && b.st.paramsAny != nil {
				all = *b.st.paramsAny
			}
			b.add(all.WithMany())
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
