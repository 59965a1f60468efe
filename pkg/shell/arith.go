package shell

import (
	"strings"

	"mayi/pkg/shell/value"

	"mvdan.cc/sh/v3/syntax"
)

// maxArithDepth bounds how far variables' values are followed as expressions.
const maxArithDepth = 12

// arith evaluates an arithmetic expression, with everything in it that runs:
// substitutions, subscripts, and the text of variables, which bash reads as
// expressions again. The result is an exact integer or some integer.
func (w *walker) arith(st *state, x syntax.ArithmExpr) value.Value {
	if x == nil {
		return value.Exact("0")
	}
	if !w.step() {
		return number()
	}
	switch x := x.(type) {
	case *syntax.Word:
		return w.arithWord(st, x)
	case *syntax.ParenArithm:
		return w.arith(st, x.X)
	case *syntax.UnaryArithm:
		return w.arithUnary(st, x)
	case *syntax.BinaryArithm:
		return w.arithBinary(st, x)
	}
	w.unread(x, "arithmetic that bash does not have")
	return number()
}

// arithWord is an operand: a number, a variable, or text that expands to some
// expression.
func (w *walker) arithWord(st *state, word *syntax.Word) value.Value {
	if len(word.Parts) == 1 {
		switch p := word.Parts[0].(type) {
		case *syntax.Lit:
			if n, ok := integer(p.Value); ok {
				return exactInt(n)
			}
			if syntax.ValidName(p.Value) {
				return w.arithName(st, p.Value, word)
			}
			if !strings.ContainsAny(p.Value, "\\") {
				collect(&w.ends.exit, st) // not a number: an error
				return number()
			}
		case *syntax.ParamExp:
			if !p.Dollar.IsValid() && p.Param != nil {
				// name[subscript] without a dollar.
				e := w.get(st, p.Param.Value, p.Index)
				return w.operand(st, e, word)
			}
		}
	}
	return w.evalText(st, w.quotedWord(st, word), word)
}

func (w *walker) operand(st *state, e expansion, n syntax.Node) value.Value {
	if e.never {
		return value.Exact("0")
	}
	v := w.evalText(st, e.scalar(st), n)
	if e.unset {
		v = value.Union(v, value.Exact("0"))
		if _, ok := v.Text(); !ok {
			return number()
		}
	}
	return v
}

func (w *walker) arithName(st *state, name string, n syntax.Node) value.Value {
	if w.depth >= maxArithDepth {
		w.unread(n, "arithmetic that refers to itself")
		return number()
	}
	w.depth++
	defer func() { w.depth-- }()
	return w.operand(st, w.get(st, name, nil), n)
}

// evalText evaluates text as an arithmetic expression, as bash does with a
// variable's value, with [[ a -eq b ]] and with array subscripts.
func (w *walker) evalText(st *state, v value.Value, n syntax.Node) value.Value {
	if v.Integer() {
		return v
	}
	texts, ok := v.Texts()
	if !ok {
		w.unread(n, "text that is not known is evaluated as arithmetic, which can run commands: "+why(v))
		return number()
	}
	out := number()
	for i, t := range texts {
		r := w.evalOne(st, t, n)
		if i == 0 && len(texts) == 1 {
			out = r
		}
	}
	return out
}

func (w *walker) evalOne(st *state, t string, n syntax.Node) value.Value {
	t = strings.TrimSpace(t)
	if t == "" {
		return value.Exact("0")
	}
	if i, ok := integer(t); ok {
		return exactInt(i)
	}
	if syntax.ValidName(t) {
		return w.arithName(st, t, n)
	}
	if w.depth >= maxArithDepth {
		w.unread(n, "arithmetic that refers to itself")
		return number()
	}
	x, err := w.a.parseArithm(t)
	if err != nil || x == nil || int(x.End().Offset()) != len(t) {
		// The parser stops where an expression ends; bash calls it an error,
		// but not before it has run what stands in the part that it read.
		if err == nil && x != nil {
			w.evalParsed(st, x, t, n)
		}
		if strings.ContainsAny(t, "$`[") {
			w.unread(n, "text evaluated as arithmetic that does not parse")
		}
		collect(&w.ends.exit, st) // an error ends the shell
		return number()
	}
	return w.evalParsed(st, x, t, n)
}

func (w *walker) evalParsed(st *state, x syntax.ArithmExpr, t string, n syntax.Node) value.Value {
	w.depth++
	defer func() { w.depth-- }()
	saved := w.frame
	defer func() { w.frame = saved }()
	w.span, w.fixed, w.src = w.spanOf(n), true, t
	return w.arith(st, x)
}

func why(v value.Value) string {
	if r, ok := v.HasUnknown(); ok && r != "" {
		return r
	}
	return "its value is not known"
}

// subscript evaluates an array's subscript.
func (w *walker) subscript(st *state, x syntax.ArithmExpr, assoc bool) value.Value {
	if assoc {
		if word, ok := x.(*syntax.Word); ok {
			return w.quotedWord(st, word)
		}
	}
	return w.arith(st, x)
}
