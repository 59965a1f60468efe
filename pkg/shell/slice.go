package shell

import (
	"strconv"
	"unicode/utf8"

	"mayi/pkg/shell/value"

	"mvdan.cc/sh/v3/syntax"
)

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
