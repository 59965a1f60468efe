package shell

import (
	"strings"

	"mayi/pkg/permissions"
	"mayi/pkg/shell/value"
)

// read assigns what comes in on a descriptor.
func (w *walker) read(st *state, c *command) (ok, fail *state) {
	parent := w.parent
	w.parent = c.part
	defer func() { w.parent = parent }()
	raw, other, nul, array := false, false, false, value.Value{}
	hasArray := false
	from := st.fds.get(0)
	own := c.ownStdin
	at, known := letters(c.argv, "adinNptu", func(l byte, v value.Value, _ int) {
		switch l {
		case 'r':
			raw = true
		case 'a':
			array, hasArray = v, true
		case 'd':
			if t, exact := v.Text(); exact && t == "" {
				nul = true
			} else {
				other = true
			}
		case 'n', 'N', 'i', 'e', 't':
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
	whole := from.partial == nil || !*from.partial
	if l, is := from.val.Listing(); (other || nul && !(is && l.Sep == 0)) && from.partial != nil {
		*from.partial = true
	}
	if from.kind != flowText || !exact || other || nul || (from.partial != nil && *from.partial && !own) || (!raw && strings.Contains(text, `\`)) {
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
	var line value.Value
	listed := false
	if !other && sepOK {
		line, listed = w.lineOf(c, from, own || whole, raw, nul, sep, len(names) == 1 && !hasArray)
	}
	for i, name := range names {
		v := value.Unknown(why)
		if listed {
			v = line
		}
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
	if l, is := from.val.Listing(); is && from.kind == flowText && trimmed && !other && l.Sep == '\n' && (c.ownStdin || from.partial == nil || !*from.partial) {
		a.list[0] = w.item(c.part, c.span, l, permissions.Newline, "mapfile")
	}
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
