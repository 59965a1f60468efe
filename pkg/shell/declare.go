package shell

import (
	"strings"

	"mayi/pkg/shell/value"

	"mvdan.cc/sh/v3/syntax"
)

// declareAll applies a declaration.
func (w *walker) declareAll(st *state, dec declaration, n syntax.Node) {
	if dec.open {
		w.unread(n, dec.variant+" of words that are not known")
		st.forget(dec.variant + " may have assigned it")
	}
	has := func(c string) bool { return strings.Contains(dec.on, c) }
	if has("f") || has("F") {
		w.declareFuncs(st, dec)
		return
	}
	for _, a := range dec.items {
		if a.name == "" {
			continue
		}
		if dec.variant == "local" || (st.inFunc && (dec.variant == "declare" || dec.variant == "typeset") && !has("g")) {
			if st.locals[a.name] {
				// Declared before; it keeps what it has.
			} else {
				st.locals = with(st.locals, a.name, true)
				if !has("I") {
					st.set(a.name, &variable{never: true})
				}
			}
		}
		v := *st.lookup(a.name)
		v.integer = (v.integer || has("i")) && !strings.Contains(dec.off, "i")
		v.lower, v.upper = v.lower || has("l"), v.upper || has("u")
		v.exported = (v.exported || has("x") || dec.variant == "export") && !strings.Contains(dec.off, "x")
		if dec.variant == "export" || has("x") {
			v.perhaps = false
		}
		if dec.variant == "export" && has("n") {
			v.exported = false
		}
		if (has("A") || has("a")) && !v.array {
			v.array, v.assoc = true, has("A")
			v.open = v.open || v.unset
			v.rest = value.Unknown("an element of " + a.name)
			v.list = nil
			if !v.never {
				v.list = []value.Value{v.val}
			}
		}
		ref := has("n") && dec.variant != "export" || dec.variant == "nameref"
		if ref {
			w.nameref(st, a, &v)
			st.set(a.name, &v)
			continue
		}
		st.set(a.name, &v)
		if !a.naked && v.array && w.bracketed(st, a, n) {
			continue
		}
		if !a.naked {
			w.assign(st, a, n)
		} else {
			w.steer(st, a.name, v.val)
		}
	}
}

// bracketed handles the value of an array: text in brackets, however it came
// about, is read as a list again, expansions and all.
func (w *walker) bracketed(st *state, a assignment, n syntax.Node) bool {
	if a.array || a.indexd {
		return false
	}
	texts, ok := a.val.Texts()
	if !ok && !a.val.Integer() && (a.val.Prefix() == "" || a.val.Prefix()[0] == '(') {
		w.unread(n, "the list that the array "+a.name+" is given is not known: "+why(a.val))
		return false
	}
	list := false
	for _, t := range texts {
		if strings.HasPrefix(t, "(") && syntax.ValidName(a.name) {
			list = true
			w.nested(a.name+"="+t, st, w.parent, w.spanOf(n), "declare")
		}
	}
	return list && len(texts) == 1
}

func (w *walker) nameref(st *state, a assignment, v *variable) {
	to, ok := a.val.Text()
	if a.naked {
		to, ok = v.val.Text()
	}
	if !ok || to == a.name {
		v.refAny = true
		return
	}
	v.ref = to
}

func (w *walker) declareFuncs(st *state, dec declaration) {
	for _, a := range dec.items {
		f, ok := st.funcs[a.name]
		if !ok {
			continue
		}
		if dec.variant == "export" || strings.Contains(dec.on, "x") {
			c := *f
			c.exported = true
			st.funcs = with(st.funcs, a.name, &c)
		}
	}
	w.write(st, 1, value.Unknown("a function's text"))
}
