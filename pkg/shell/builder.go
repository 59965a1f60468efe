package shell

import (
	"mayi/pkg/shell/value"

	"mvdan.cc/sh/v3/syntax"
)

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
