package shell

import (
	"strconv"
	"strings"

	"mayi/pkg/shell/value"

	"mvdan.cc/sh/v3/syntax"
)

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
