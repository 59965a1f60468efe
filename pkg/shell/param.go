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

func (w *walker) arrayKeys(st *state, pe *syntax.ParamExp) expansion {
	v := st.lookup(pe.Param.Value)
	e := expansion{isList: true, star: wholeIndex(pe.Index) == "*"}
	if v.assoc || v.open || v.unset {
		e.open = true
		return e
	}
	for i := range v.elements() {
		e.list = append(e.list, value.Exact(strconv.Itoa(i)))
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

// indirect is ${!name}.
func (w *walker) indirect(st *state, pe *syntax.ParamExp) expansion {
	name := pe.Param.Value
	if v, ok := st.vars[name]; ok && (v.ref != "" || v.refAny) {
		if v.refAny {
			return expansion{v: value.Unknown("a name reference that is not known")}
		}
		return expansion{v: value.Exact(v.ref)}
	}
	to := w.get(st, name, pe.Index)
	texts, ok := to.scalar(st).Texts()
	if !ok || to.never {
		collect(&w.ends.exit, st)
		if to.never || to.scalar(st).Integer() {
			return expansion{v: value.Unknown("an indirect expansion"), unset: true}
		}
		w.unread(pe, "an indirect expansion of a name that is not known can run commands in a subscript")
		return expansion{v: value.Unknown("an indirect expansion of a name that is not known"), unset: true}
	}
	var out expansion
	for i, t := range texts {
		var e expansion
		switch base, sub, has := strings.Cut(t, "["); {
		case !has && (syntax.ValidName(t) || isDigits(t) || (len(t) == 1 && strings.Contains("@*#?-$!", t))):
			e = w.get(st, t, nil)
		case has && strings.HasSuffix(sub, "]") && syntax.ValidName(base):
			if sub != "@]" && sub != "*]" {
				w.evalText(st, value.Exact(strings.TrimSuffix(sub, "]")), pe)
			}
			e = expansion{v: value.Unknown("an element named indirectly"), unset: true}
		default:
			// An invalid name: the shell gives up here.
			collect(&w.ends.exit, st)
			e = expansion{v: value.Unknown("an indirect expansion"), unset: true}
		}
		if i == 0 {
			out = e
			continue
		}
		out = expansion{v: value.Union(out.scalar(st), e.scalar(st)), unset: out.unset || e.unset || out.never || e.never}
	}
	return out
}

func isDigits(s string) bool {
	_, err := strconv.ParseUint(s, 10, 32)
	return err == nil
}

func lengthOf(e expansion) value.Value {
	if e.isList {
		if e.open {
			return value.Number("a list's length")
		}
		return value.Exact(strconv.Itoa(len(e.list)))
	}
	if e.never {
		return value.Exact("0")
	}
	if out, ok := e.v.Map(func(s string) string { return strconv.Itoa(utf8.RuneCountInString(s)) }); ok && !e.unset {
		return out
	}
	return value.Number("a text's length")
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

func (w *walker) slice(st *state, pe *syntax.ParamExp, e expansion) expansion {
	off, length := value.Exact("0"), value.Value{}
	if pe.Slice.Offset != nil {
		off = w.arith(st, pe.Slice.Offset)
	}
	if pe.Slice.Length != nil {
		length = w.arith(st, pe.Slice.Length)
	}
	o, okO := intOf(off)
	n, okN := intOf(length)
	if !okO || (pe.Slice.Length != nil && !okN) {
		if e.isList {
			e.open = true
			return e
		}
		return expansion{v: value.Unknown("a piece of a text, cut at a place that is not known")}
	}
	if e.isList {
		list := e.list
		if pe.Param.Value == "@" || pe.Param.Value == "*" {
			list = append([]value.Value{st.arg0}, list...)
			if o == 0 && e.open {
				return e
			}
		}
		from, to, ok := cut(len(list), o, n, pe.Slice.Length != nil)
		if e.open || !ok {
			e.open = true
			return e
		}
		if (pe.Param.Value == "@" || pe.Param.Value == "*") && o < 0 && from == 0 {
			from = to
		}
		e.list = list[from:to]
		return e
	}
	if e.v.Integer() {
		if _, exact := e.v.Texts(); !exact {
			return expansion{v: value.Union(value.Number("some digits"), value.Value{})}
		}
	}
	return e.each(func(v value.Value) value.Value {
		out, ok := v.Map(func(s string) string {
			r := []rune(s)
			from, to, ok := cut(len(r), o, n, pe.Slice.Length != nil)
			if !ok {
				return ""
			}
			return string(r[from:to])
		})
		if !ok {
			return value.Unknown("a piece of a text that is not known")
		}
		return out
	})
}

// cut is bash's rule for ${x:off:len} over n units.
func cut(n, off, length int, has bool) (from, to int, ok bool) {
	if off < 0 {
		off += n
	}
	if off < 0 || off > n {
		return 0, 0, off > n
	}
	to = n
	if has {
		to = off + length
		if length < 0 {
			to = n + length
		}
	}
	if to < off {
		return 0, 0, false
	}
	return off, min(to, n), true
}

func intOf(v value.Value) (int, bool) {
	t, ok := v.Text()
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(t)
	return n, err == nil
}

func parseIndex(t string) (int, error) {
	n, err := strconv.ParseUint(t, 10, 16)
	return int(n), err
}
