package shell

import (
	"strings"

	"mayi/pkg/permissions"
	"mayi/pkg/shell/value"

	"mvdan.cc/sh/v3/syntax"
)

// declaration is one declare, export, local, readonly or typeset.
type declaration struct {
	variant string
	on, off string // option letters
	items   []assignment
	// open: words that are not known may be anything.
	open bool
}

// decl walks the keyword form, whose assignments the parser has read.
func (w *walker) decl(st *state, d *syntax.DeclClause, redirs []*syntax.Redirect) (ok, fail *state) {
	part := w.newPart(d, permissions.Free)
	words := []permissions.Word{{Text: d.Variant.Value, Known: true}}
	parent := w.parent
	w.parent = part
	dec := declaration{variant: d.Variant.Value}
	for _, as := range d.Args {
		if as.Name == nil && as.Value != nil {
			for _, v := range w.fields(st, []*syntax.Word{as.Value}, nil) {
				words = append(words, w.shown(v, as.Value))
				w.declWord(st, &dec, v, as)
			}
			continue
		}
		words = append(words, declText(w.text(as)))
		if as.Value != nil && w.declBraces(st, &dec, as) {
			continue
		}
		if strings.Contains(dec.on, "A") && as.Name != nil {
			// Subscripts of the same command are already keys.
			v := *st.lookup(as.Name.Value)
			v.assoc, v.array, v.open = true, true, true
			v.rest = value.Unknown("an element of " + as.Name.Value)
			st.set(as.Name.Value, &v)
		}
		dec.items = append(dec.items, w.readAssign(st, as))
	}
	fds := st.fds
	w.redirects(st, redirs)
	w.declareAll(st, dec, d)
	st.fds = fds
	w.parent = parent
	w.an.Parts[part].Words = words
	return st, st
}

// declBraces handles braces in the value: bash expands them first, and what
// comes out are ordinary words. It returns false where there are none.
func (w *walker) declBraces(st *state, dec *declaration, as *syntax.Assign) bool {
	variants, ok := w.braces(st, as.Value)
	if ok && len(variants) == 1 {
		return false
	}
	if !ok {
		w.assignValue(st, as.Value)
		dec.open = true
		return true
	}
	head := w.text(as)
	head, _, _ = strings.Cut(head, "=")
	for _, parts := range variants {
		b := w.newBuilder(st, as.Value)
		b.braced = true
		b.add(value.Exact(head + "="))
		b.parts(parts, false)
		for _, v := range b.done() {
			w.declWord(st, dec, v, as)
		}
	}
	return true
}

// declText shows an assignment by its source; it is known where nothing in it
// is quoted or expanded.
func declText(t string) permissions.Word {
	return permissions.Word{Text: t, Known: !strings.ContainsAny(t, "$`'\"\\~(*?[")}
}

// declWords is the builtin form, as after command or with a quoted name.
func (w *walker) declWords(st *state, c *command, name string) {
	dec := declaration{variant: name}
	for _, v := range c.argv[1:] {
		w.declWord(st, &dec, v, c.node)
	}
	w.declareAll(st, dec, c.node)
}

// declWord sorts one expanded word into options and assignments.
func (w *walker) declWord(st *state, dec *declaration, v value.Value, n syntax.Node) {
	texts, ok := v.Texts()
	if !ok {
		name, _, has := strings.Cut(v.Prefix(), "=")
		if has && syntax.ValidName(name) {
			dec.items = append(dec.items, assignment{name: name, val: afterEqual(v)})
			return
		}
		dec.open = true
		return
	}
	for _, t := range texts {
		switch {
		case t == "--":
		case len(t) > 1 && t[0] == '-' && len(dec.items) == 0:
			dec.on += t[1:]
		case len(t) > 1 && t[0] == '+' && len(dec.items) == 0:
			dec.off += t[1:]
		default:
			name, val, has := strings.Cut(t, "=")
			a := assignment{val: value.Exact(val), naked: !has}
			name, a.add = strings.CutSuffix(name, "+")
			if base, _, sub := strings.Cut(name, "["); sub {
				w.nameWithSubscript(st, value.Exact(name), n)
				name, a.indexd, a.index = base, true, value.Unknown("a subscript")
			}
			a.name = name
			if strings.HasPrefix(val, "(") && syntax.ValidName(name) {
				// Text in brackets is read as an array, expansions and all.
				w.nested(name+"="+val, st, w.parent, w.spanOf(n), "declare")
				continue
			}
			dec.items = append(dec.items, a)
		}
	}
}

// afterEqual is the value after the first equals sign.
func afterEqual(v value.Value) value.Value {
	var out value.Value
	for i, alt := range v.Alternatives() {
		var one value.Value
		seen := false
		for _, p := range alt {
			if !seen {
				_, rest, has := strings.Cut(p.Text, "=")
				if p.Kind != value.Lit || !has {
					return value.Unknown("an assignment that is not known")
				}
				seen = true
				one = value.Exact(rest)
				continue
			}
			one = value.Concat(one, value.Of(p))
		}
		if i == 0 {
			out = one
		} else {
			out = value.Union(out, one)
		}
	}
	return out
}
