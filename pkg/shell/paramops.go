package shell

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"mayi/pkg/shell/value"

	"mvdan.cc/sh/v3/syntax"
)

// operator applies ${x:-y}, ${x#y}, ${x^^}, ${x@P} and their like.
func (w *walker) operator(st *state, pe *syntax.ParamExp, e expansion, quoted bool) expansion {
	op := pe.Exp.Op
	switch op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull,
		syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		return w.fallback(st, pe, e, quoted)
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		pat, ok := w.pattern(st, pe.Exp.Word)
		return e.each(func(v value.Value) value.Value {
			return trim(v, pat, ok, op)
		})
	case syntax.UpperFirst, syntax.UpperAll, syntax.LowerFirst, syntax.LowerAll:
		some := pe.Exp.Word != nil
		if some {
			w.quotedWord(st, pe.Exp.Word)
		}
		return e.each(func(v value.Value) value.Value {
			if some {
				return value.Unknown("letters that match a pattern change their case")
			}
			return mapCase(v, caseOf(op))
		})
	case syntax.OtherParamOps:
		return w.transform(st, pe, e)
	}
	w.unread(pe, "an expansion that bash does not have")
	return expansion{v: value.Unknown("an expansion that bash does not have").WithMany()}
}

func caseOf(op syntax.ParExpOperator) func(string) string {
	first := func(f func(rune) rune) func(string) string {
		return func(s string) string {
			r, n := utf8.DecodeRuneInString(s)
			if n == 0 {
				return s
			}
			return string(f(r)) + s[n:]
		}
	}
	switch op {
	case syntax.UpperFirst:
		return first(unicode.ToUpper)
	case syntax.LowerFirst:
		return first(unicode.ToLower)
	case syntax.UpperAll:
		return strings.ToUpper
	}
	return strings.ToLower
}

// fallback is the family of ${x:-word}: which side is taken depends on
// whether x has a value, so both are where that is not known.
func (w *walker) fallback(st *state, pe *syntax.ParamExp, e expansion, quoted bool) expansion {
	op := pe.Exp.Op
	cur := e.scalar(st)
	missing, present := presence(e, op)
	var word value.Value
	if pe.Exp.Word != nil {
		if quoted {
			word = w.quotedOperand(st, pe.Exp.Word)
		} else {
			word = w.quotedWord(st, pe.Exp.Word)
		}
	}
	switch op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		switch {
		case missing:
			return expansion{}
		case present:
			return expansion{v: word}
		}
		return expansion{v: value.Union(value.Value{}, word)}
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		if !present {
			collect(&w.ends.exit, st)
		}
		if missing {
			return expansion{}
		}
		e.unset = false
		return e
	}
	assign := op == syntax.AssignUnset || op == syntax.AssignUnsetOrNull
	out := e
	switch {
	case present:
		return e
	case missing:
		out = expansion{v: word}
	default:
		out = expansion{v: value.Union(cur, word)}
	}
	if assign && syntax.ValidName(pe.Param.Value) && pe.Index == nil {
		w.assign(st, assignment{name: pe.Param.Value, val: out.v.Unmarked()}, pe)
	}
	return out
}

// presence says whether the parameter certainly has no value, and whether it
// certainly has one, as the operator counts it: with a colon, empty is none.
func presence(e expansion, op syntax.ParExpOperator) (missing, present bool) {
	orNull := op == syntax.DefaultUnsetOrNull || op == syntax.AssignUnsetOrNull ||
		op == syntax.AlternateUnsetOrNull || op == syntax.ErrorUnsetOrNull
	if e.isList {
		empty := len(e.list) == 0
		if orNull && len(e.list) == 1 {
			// One empty element is no value either.
			some, _ := mayBeEmpty(e.list[0])
			return false, !some && !e.open
		}
		return empty && !e.open, !empty && !e.open
	}
	missing, present = e.never, !e.never && !e.unset
	if orNull && !e.never {
		empty, nonEmpty := mayBeEmpty(e.v)
		missing = missing || !nonEmpty
		present = present && !empty
	}
	return missing, present
}

// quotedOperand is the operand of an expansion inside double quotes, where
// single quotes are ordinary characters.
func (w *walker) quotedOperand(st *state, word *syntax.Word) value.Value {
	var out value.Value
	for _, p := range word.Parts {
		if q, ok := p.(*syntax.SglQuoted); ok && !q.Dollar {
			// A single quote is an ordinary character here: what stands
			// between two of them is live.
			if strings.ContainsAny(q.Value, "$`\\") {
				w.evalPrompt(st, value.Exact(q.Value), q)
				out = value.Concat(out, value.Unknown("an expansion between single quotes inside double quotes"))
				continue
			}
			out = value.Concat(out, value.Exact("'"+q.Value+"'"))
			continue
		}
		out = value.Concat(out, w.quotedParts(st, []syntax.WordPart{p}))
	}
	return out
}

// mayBeEmpty reports whether some possible text is empty and whether some is
// not.
func mayBeEmpty(v value.Value) (empty, nonEmpty bool) {
	if v.Many() {
		return true, true
	}
	for _, alt := range v.Alternatives() {
		lit, open := false, false
		for _, p := range alt {
			if p.Kind == value.Any || p.Kind == value.Glob {
				open = true
			} else if p.Text != "" {
				lit = true
			}
		}
		empty = empty || !lit
		nonEmpty = nonEmpty || lit || open
	}
	return empty, nonEmpty
}

// transform is ${x@op}.
func (w *walker) transform(st *state, pe *syntax.ParamExp, e expansion) expansion {
	op := ""
	if pe.Exp.Word != nil {
		op = pe.Exp.Word.Lit()
	}
	switch op {
	case "P":
		return e.each(func(v value.Value) value.Value {
			w.evalPrompt(st, v, pe)
			if t, ok := v.Text(); ok && !strings.ContainsAny(t, "\\$`!") {
				return v
			}
			return value.Unknown("an expanded prompt")
		})
	case "U":
		return e.each(func(v value.Value) value.Value { return mapCase(v, strings.ToUpper) })
	case "L":
		return e.each(func(v value.Value) value.Value { return mapCase(v, strings.ToLower) })
	case "u":
		return e.each(func(v value.Value) value.Value { return mapCase(v, caseOf(syntax.UpperFirst)) })
	case "E":
		return e.each(func(v value.Value) value.Value {
			if out, ok := v.Map(func(s string) string { t, _ := ansiC(s, false); return t }); ok {
				return out
			}
			return value.Unknown("the escapes of a text that is not known")
		})
	case "Q", "A", "K", "k", "a":
		e.v, e.list, e.open, e.unset = value.Unknown("a text written out for reuse").WithMany(), nil, true, false
		return e
	}
	w.unread(pe, "an expansion that is not known")
	return expansion{v: value.Unknown("an expansion that is not known").WithMany()}
}

// replace is ${x/pattern/text}.
func (w *walker) replace(st *state, pe *syntax.ParamExp, e expansion) expansion {
	pat, okP := w.pattern(st, pe.Repl.Orig)
	with := w.quotedWord(st, pe.Repl.With)
	text, okW := with.Text()
	if strings.ContainsAny(text, `&\`) {
		okW = false
	}
	return e.each(func(v value.Value) value.Value {
		if !okP || !okW || tooLong(v) {
			return value.Unknown("a replacement that is not known")
		}
		if out, ok := v.Map(func(s string) string { return replaceText(s, pat, text, pe.Repl.All) }); ok {
			return out
		}
		return value.Unknown("a replacement in a text that is not known")
	})
}
