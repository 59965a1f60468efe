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
		if !a.naked {
			w.assign(st, a, n)
		} else {
			w.steer(st, a.name, v.val, &v)
		}
	}
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

func (w *walker) unset(st *state, c *command) {
	onlyFuncs, onlyVars := false, false
	at, known := letters(c.argv, "", func(l byte, _ value.Value, _ int) {
		onlyFuncs = onlyFuncs || l == 'f'
		onlyVars = onlyVars || l == 'v'
	})
	for i, v := range c.argv[at:] {
		names, ok := w.nameWithSubscript(st, v.Single(), argNode(c, at+i))
		if !ok || !known || v.Many() {
			st.forget("it may have been unset")
			continue
		}
		texts, _ := v.Texts()
		for _, name := range names {
			sure := len(names) == 1
			if !onlyVars && (onlyFuncs || st.vars[name] == nil) {
				if f := st.funcs[name]; f != nil && sure {
					st.funcs = without(st.funcs, name)
				} else if f != nil {
					g := *f
					g.maybe = true
					st.funcs = with(st.funcs, name, &g)
				}
			}
			if onlyFuncs {
				continue
			}
			old := st.lookup(name)
			if sure && !strings.Contains(texts[0], "[") {
				st.set(name, &variable{never: true})
				continue
			}
			v := *old
			v.unset = true
			if v.array {
				v.rest, v.open = v.any(), true
				v.list = nil
			}
			st.set(name, &v)
		}
	}
}

// read assigns what comes in on a descriptor.
func (w *walker) read(st *state, c *command) (ok, fail *state) {
	parent := w.parent
	w.parent = c.part
	defer func() { w.parent = parent }()
	raw, other, array := false, false, value.Value{}
	hasArray := false
	from := st.fds.get(0)
	own := c.ownStdin
	at, known := letters(c.argv, "adinNptu", func(l byte, v value.Value, _ int) {
		switch l {
		case 'r':
			raw = true
		case 'a':
			array, hasArray = v, true
		case 'd', 'n', 'N', 'i', 'e', 't':
			other = true
		case 'u':
			from, own = flow{kind: flowUnknown}, false
			if n, ok := intOf(v); ok {
				from = st.fds.get(n)
			}
		}
	})
	if !known && at < len(c.argv) && c.argv[at].Many() {
		w.unreadAt(c.part, c.spanAt(at), "the names that read assigns are not known: "+why(c.argv[at]))
		st.forget("read may have assigned it")
		return st, st
	}
	why := "what read reads from " + source(from)
	names := c.argv[min(at, len(c.argv)):]
	text, exact := from.val.Text()
	if other && from.partial != nil {
		*from.partial = true
	}
	if from.kind != flowText || !exact || other || (from.partial != nil && *from.partial && !own) || (!raw && strings.Contains(text, `\`)) {
		text, exact = "", false
	}
	rows := lines(text)
	if len(rows) > maxUnroll || (exact && len(rows) == 0) {
		exact = false
	}
	certain := exact && own && strings.Contains(text, "\n")
	if certain {
		rows = rows[:1]
	}
	if hasArray {
		names = []value.Value{array}
	} else if len(names) == 0 {
		names = []value.Value{value.Exact("REPLY")}
	}
	ifs := st.lookup("IFS")
	sep, sepOK := ifs.val.Text()
	if ifs.never {
		sep, sepOK = " \t\n", true
	}
	if !certain {
		// Where it fails, the names are empty.
		fail = st.clone()
	} else {
		fail = st
	}
	for i, name := range names {
		v := value.Unknown(why)
		if exact && sepOK && !hasArray {
			for k, row := range rows {
				f := value.Exact(readField(row, sep, i, len(names), len(c.argv) == at))
				if k == 0 {
					v = f
				} else {
					v = value.Union(v, f)
				}
			}
		}
		if hasArray {
			if ns, ok := w.nameWithSubscript(st, name, c.node); ok {
				for _, n := range ns {
					w.assign(st, assignment{name: n, array: true, open: true, list: []value.Value{v}}, c.node)
					if fail != st {
						w.assign(fail, assignment{name: n, array: true, open: true, list: []value.Value{v}}, c.node)
					}
				}
			}
			continue
		}
		w.assignNamed(st, c, name, v)
		if fail != st {
			w.assignNamed(fail, c, name, value.Union(v, value.Value{}))
		}
	}
	return st, fail
}

func source(f flow) string {
	switch f.kind {
	case flowFile:
		return f.val.String()
	case flowText:
		return "a pipe or here-document"
	}
	return "standard input"
}

// readField is field i of n of a line; the last takes the rest.
func readField(row, ifs string, i, n int, whole bool) string {
	if whole {
		return row // REPLY keeps its blanks
	}
	blank := func(r rune) bool { return strings.ContainsRune(ifs, r) && (r == ' ' || r == '\t') }
	row = strings.TrimFunc(row, blank)
	for ; i > 0; i-- {
		at := strings.IndexFunc(row, func(r rune) bool { return strings.ContainsRune(ifs, r) })
		if at < 0 {
			return ""
		}
		n--
		hard := !blank(rune(row[at]))
		row = strings.TrimLeftFunc(row[at+1:], blank)
		if !hard && row != "" && strings.ContainsRune(ifs, rune(row[0])) && !blank(rune(row[0])) {
			row = strings.TrimLeftFunc(row[1:], blank)
		}
	}
	if n == 1 {
		return row
	}
	if at := strings.IndexFunc(row, func(r rune) bool { return strings.ContainsRune(ifs, r) }); at >= 0 {
		return row[:at]
	}
	return row
}

func (w *walker) mapfile(st *state, c *command) {
	from := st.fds.get(0)
	trimmed, other := false, false
	at, known := letters(c.argv, "dnOsuCc", func(l byte, v value.Value, i int) {
		switch l {
		case 't':
			trimmed = true
		case 'u':
			from = flow{kind: flowUnknown}
			if n, ok := intOf(v); ok {
				from = st.fds.get(n)
			}
		case 'C':
			w.codeValue(st, c, i, v, "mapfile -C")
			other = true
		case 'O':
			w.evalText(st, v, c.node)
			other = true
		default:
			other = true
		}
	})
	name := value.Exact("MAPFILE")
	if at < len(c.argv) {
		name = c.argv[at]
	}
	if !known && name.Many() {
		w.unreadAt(c.part, c.spanAt(at), "the name that mapfile assigns is not known")
		st.forget("mapfile may have assigned it")
		return
	}
	names, ok := w.nameWithSubscript(st, name, c.node)
	if !ok {
		st.forget("mapfile may have assigned it")
		return
	}
	a := assignment{array: true, open: true, list: []value.Value{value.Unknown("a line of " + source(from))}}
	if t, exact := from.val.Text(); exact && from.kind == flowText && c.ownStdin && !other && len(lines(t)) <= 64 {
		a.open, a.list = false, nil
		for _, l := range lines(t) {
			if !trimmed {
				l += "\n"
			}
			a.list = append(a.list, value.Exact(l))
		}
	}
	for _, n := range names {
		a.name = n
		w.assign(st, a, c.node)
	}
}
