package shell

import (
	"strings"

	"mayi/pkg/shell/value"

	"mvdan.cc/sh/v3/syntax"
)

// assignment is one name=value, wherever it comes from.
type assignment struct {
	name   string
	val    value.Value
	add    bool // +=
	naked  bool // a name without a value (declare x)
	array  bool
	list   []value.Value
	open   bool        // list is not complete
	index  value.Value // subscript, where indexed
	indexd bool
}

// readAssign evaluates the right side of an assignment.
func (w *walker) readAssign(st *state, as *syntax.Assign) assignment {
	a := assignment{add: as.Append, naked: as.Naked}
	if as.Name != nil {
		a.name = as.Name.Value
	}
	if as.Index != nil {
		a.indexd = true
		a.index = w.subscript(st, as.Index, st.lookup(a.name).assoc)
	}
	switch {
	case as.Array != nil:
		a.array = true
		w.readArray(st, as.Array, &a)
	case as.Value != nil:
		a.val = w.assignValue(st, as.Value)
	}
	return a
}

func (w *walker) readArray(st *state, arr *syntax.ArrayExpr, a *assignment) {
	assoc := st.lookup(a.name).assoc
	for _, el := range arr.Elems {
		if el.Index != nil {
			// A subscript may leave gaps or overwrite: the order is lost.
			w.subscript(st, el.Index, assoc)
			a.open = true
		}
		if el.Value == nil {
			continue
		}
		if el.Index != nil {
			a.list = append(a.list, w.assignValue(st, el.Value))
			continue
		}
		for _, f := range w.fields(st, []*syntax.Word{el.Value}, nil) {
			if f.Many() {
				a.open = true
			}
			a.list = append(a.list, f.Single())
		}
	}
}

// assign does one assignment; n is where it stands.
func (w *walker) assign(st *state, a assignment, n syntax.Node) {
	if a.name == "" {
		w.unread(n, "an assignment to a name that is not known")
		st.forget("any variable may have been assigned")
		return
	}
	name, ok := st.resolve(a.name)
	if !ok {
		w.unread(n, "an assignment through a name reference that is not known")
		st.forget("any variable may have been assigned")
		return
	}
	if i := strings.IndexByte(name, '['); i > 0 {
		// A reference to an array's element evaluates its subscript.
		w.evalText(st, value.Exact(name[i:]), n)
		name, a.indexd, a.index = name[:i], true, value.Unknown("a subscript")
	}
	old := st.lookup(name)
	v := *old
	v.unset, v.never = false, false
	val := a.val
	if (v.integer || counts(name)) && !a.array {
		val = w.evalText(st, val, n)
	}
	if v.vague && !a.array {
		val = value.Unknown("whether $" + name + " changes what is assigned is not known")
	}
	if v.lower {
		val = mapCase(val, strings.ToLower)
	}
	if v.upper {
		val = mapCase(val, strings.ToUpper)
	}
	switch {
	case a.array:
		v.setArray(old, a)
	case a.indexd:
		v.setElement(old, a, val)
	case a.add && v.integer:
		v.val = value.Number("$" + name + " is counted up")
	case a.add:
		cur := old.val
		if old.never {
			cur = value.Value{}
		} else if old.unset {
			cur = value.Union(cur, value.Value{})
		}
		v.val = value.Concat(cur, val)
	default:
		v.val = val
	}
	if v.array && !a.array && !a.indexd && len(v.list) > 0 {
		v.list = append([]value.Value{v.val}, v.list[1:]...)
	}
	if st.opts.possible(optAllexport) {
		v.exported = true
		v.perhaps = v.perhaps && !st.opts.certain(optAllexport)
	}
	st.set(name, &v)
	w.shellVariable(st, name, v.val, n)
	w.steer(st, name, v.val)
}

// counts: bash itself declares the variable an integer, so that the text that
// it is assigned is an expression.
func counts(name string) bool {
	switch name {
	case "RANDOM", "SRANDOM", "HISTCMD", "OPTIND", "BASHPID":
		return true
	}
	return false
}

func (v *variable) setArray(old *variable, a assignment) {
	v.array = true
	rest := value.Unknown("an array's element")
	if len(a.list) > 0 {
		rest = a.list[0]
		for _, e := range a.list[1:] {
			rest = value.Union(rest, e)
		}
	}
	switch {
	case a.add && (old.array || !old.never):
		v.list = append(append([]value.Value(nil), old.elements()...), a.list...)
		v.open = old.open || a.open || (!old.array && old.unset)
		v.rest = value.Union(old.rest, rest)
	default:
		v.list, v.open, v.rest = a.list, a.open, rest
	}
	if v.open {
		// The order is not known: every element may be any of them.
		all := v.rest
		for _, e := range v.list {
			all = value.Union(all, e)
		}
		v.list, v.rest = nil, all
	}
	v.val = v.rest
	if len(v.list) > 0 {
		v.val = v.list[0]
	} else if !v.open {
		v.val, v.never = value.Value{}, true
	}
}

func (v *variable) setElement(old *variable, a assignment, val value.Value) {
	list := old.elements()
	v.array = true
	if t, ok := a.index.Text(); ok && !old.assoc && !old.open && !a.add {
		if i, err := parseIndex(t); err == nil && i <= len(list) {
			v.list = append([]value.Value(nil), list...)
			if i == len(list) {
				v.list = append(v.list, val)
			} else {
				v.list[i] = val
			}
			v.val = v.list[0]
			return
		}
	}
	if a.add {
		val = value.Unknown("an element that is added to")
	}
	all := val
	for _, e := range list {
		all = value.Union(all, e)
	}
	if old.open {
		all = value.Union(all, old.rest)
	}
	v.list, v.open, v.rest, v.val = nil, true, all, all
}

func mapCase(v value.Value, f func(string) string) value.Value {
	if out, ok := v.Map(f); ok {
		return out
	}
	if v.Integer() {
		return v
	}
	return value.Unknown("the letter case of a value that is not known is changed")
}
