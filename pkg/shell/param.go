package shell

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"mayi/pkg/shell/value"

	"mvdan.cc/sh/v3/syntax"
)

// expansion is what a parameter expansion yields: one value, or, for $@, $*
// and whole arrays, a list.
type expansion struct {
	v      value.Value
	list   []value.Value
	isList bool
	open   bool // the list may be longer or shorter
	star   bool // $*: joined where quoted
	// unset: it may have no value; never: it certainly has none.
	unset, never bool
}

// scalar is the expansion as one string.
func (e expansion) scalar(st *state) value.Value {
	if !e.isList {
		return e.v
	}
	if e.open {
		return value.Unknown("a list whose length is not known").WithMany()
	}
	sep := " "
	if e.star {
		ifs := st.lookup("IFS")
		t, ok := ifs.val.Text()
		switch {
		case ifs.never:
		case !ok || ifs.unset:
			return value.Unknown("a list joined by a separator that is not known")
		case t == "":
			sep = ""
		default:
			_, n := utf8.DecodeRuneInString(t)
			sep = t[:n]
		}
	}
	var out value.Value
	for i, v := range e.list {
		if i > 0 {
			out = value.Concat(out, value.Exact(sep))
		}
		out = value.Concat(out, v)
	}
	return out
}

// allParams reports whether the expansion is all positional parameters, as
// they are.
func allParams(pe *syntax.ParamExp) bool {
	return pe.Param != nil && pe.Param.Value == "@" && !pe.Excl && !pe.Length && !pe.Width &&
		pe.Index == nil && pe.Slice == nil && pe.Repl == nil && pe.Exp == nil && pe.Names == 0
}

// listParam reports whether the expansion is one that makes several fields
// inside double quotes.
func listParam(pe *syntax.ParamExp) bool {
	if pe.Length || pe.Param == nil {
		return false
	}
	if pe.Param.Value == "@" || pe.Names == syntax.NamesPrefixWords {
		return true
	}
	if pe.Excl && pe.Index == nil {
		return true
	}
	return wholeIndex(pe.Index) == "@"
}

// wholeIndex returns "@" or "*" where the subscript is that.
func wholeIndex(x syntax.ArithmExpr) string {
	if word, ok := x.(*syntax.Word); ok && len(word.Parts) == 1 {
		if lit, ok := word.Parts[0].(*syntax.Lit); ok && (lit.Value == "@" || lit.Value == "*") {
			return lit.Value
		}
	}
	return ""
}

// param evaluates ${…}, with everything that runs inside it.
func (w *walker) param(st *state, pe *syntax.ParamExp, quoted bool) expansion {
	if !w.step() {
		return expansion{v: value.Unknown("too much work").WithMany()}
	}
	if pe.Param == nil || pe.NestedParam != nil || pe.Flags != nil || pe.Width || pe.IsSet ||
		len(pe.Modifiers) > 0 || pe.Split != 0 || pe.GlobSubst != 0 || pe.RcExpand != 0 {
		w.unread(pe, "an expansion that bash does not have")
		return expansion{v: value.Unknown("an expansion that bash does not have").WithMany()}
	}
	if pe.Names != 0 {
		return expansion{isList: true, open: true, star: pe.Names == syntax.NamesPrefix}
	}
	var e expansion
	switch {
	case pe.Excl && wholeIndex(pe.Index) != "":
		return w.arrayKeys(st, pe)
	case pe.Excl:
		e = w.indirect(st, pe)
	default:
		e = w.get(st, pe.Param.Value, pe.Index)
	}
	if pe.Length {
		return expansion{v: lengthOf(e)}
	}
	switch {
	case pe.Slice != nil:
		e = w.slice(st, pe, e)
	case pe.Repl != nil:
		e = w.replace(st, pe, e)
	case pe.Exp != nil:
		e = w.operator(st, pe, e, quoted)
	case e.never:
		e.v = value.Value{}
	case e.unset && !e.isList:
		e.v = value.Union(e.v, value.Value{})
	}
	return e
}

// get returns a parameter's value without any operator.
func (w *walker) get(st *state, name string, index syntax.ArithmExpr) expansion {
	switch name {
	case "@", "*":
		return expansion{isList: true, star: name == "*", list: st.params, open: st.paramsOpen,
			never: len(st.params) == 0 && !st.paramsOpen}
	case "#":
		if st.paramsOpen {
			return expansion{v: value.Number("the number of parameters")}
		}
		return expansion{v: value.Exact(strconv.Itoa(len(st.params)))}
	case "?", "$", "!":
		return expansion{v: value.Number("$" + name)}
	case "-":
		return expansion{v: value.Unknown("$-")}
	case "0":
		return expansion{v: st.arg0}
	}
	if n, err := strconv.Atoi(name); err == nil {
		switch {
		case n >= 1 && n <= len(st.params) && !st.paramsOpen:
			return expansion{v: st.params[n-1]}
		case st.paramsOpen && st.paramsAny != nil:
			return expansion{v: *st.paramsAny, unset: true}
		case st.paramsOpen:
			return expansion{v: value.Unknown("the parameter $" + name + " is not known"), unset: true}
		}
		return expansion{never: true}
	}
	name, ok := st.resolve(name)
	if i := strings.IndexByte(name, '['); i > 0 || !ok {
		w.unread(index, "a name reference that is not known, or to an array's element")
		return expansion{v: value.Unknown("a name reference that is not known")}
	}
	v := st.lookup(name)
	if whole := wholeIndex(index); whole != "" {
		return expansion{isList: true, star: whole == "*", list: v.elements(), never: v.never && !v.open,
			open: v.open || (!v.array && v.unset)}
	}
	if index != nil {
		at := w.subscript(st, index, v.assoc)
		list := v.elements()
		if t, ok := at.Text(); ok && !v.open && !v.assoc {
			i, err := strconv.Atoi(t)
			if err == nil && i < 0 {
				i += len(list)
			}
			if err == nil && i >= 0 && i < len(list) {
				return expansion{v: list[i], unset: v.unset}
			}
			if err == nil {
				return expansion{never: !v.unset, unset: true, v: value.Unknown("an element of " + name)}
			}
		}
		if len(list) == 0 && !v.open {
			return expansion{never: true}
		}
		return expansion{v: value.Union(v.any(), value.Value{}), unset: true}
	}
	return expansion{v: v.val, unset: v.unset, never: v.never}
}

// each applies f to the value, or to every element of a list.
func (e expansion) each(f func(value.Value) value.Value) expansion {
	if e.never {
		return expansion{}
	}
	if !e.isList {
		e.v = f(e.v)
		if e.unset {
			e.v = value.Union(e.v, value.Value{})
		}
		return e
	}
	list := make([]value.Value, len(e.list))
	for i, v := range e.list {
		list[i] = f(v)
	}
	e.list = list
	return e
}
