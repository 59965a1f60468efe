package shell

import (
	"math"
	"strconv"
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

func number() value.Value { return value.Number("the result of arithmetic") }

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
	if err != nil || x == nil {
		if strings.ContainsAny(t, "$`[") {
			w.unread(n, "text evaluated as arithmetic that does not parse")
		}
		collect(&w.ends.exit, st) // an error ends the shell
		return number()
	}
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

func (w *walker) arithUnary(st *state, x *syntax.UnaryArithm) value.Value {
	if x.Op == syntax.Inc || x.Op == syntax.Dec {
		old := w.arith(st, x.X)
		val := number()
		if n, ok := exactOf(old); ok && n > math.MinInt32 && n < math.MaxInt32 {
			if x.Op == syntax.Inc {
				n++
			} else {
				n--
			}
			val = exactInt(n)
		}
		w.arithAssign(st, x.X, val)
		if x.Post {
			return old
		}
		return val
	}
	n, ok := exactOf(w.arith(st, x.X))
	if !ok {
		return number()
	}
	switch x.Op {
	case syntax.Minus:
		return exactInt(-n)
	case syntax.Plus:
		return exactInt(n)
	case syntax.Not:
		return truth(n == 0)
	case syntax.BitNegation:
		return exactInt(^n)
	}
	return number()
}

func (w *walker) arithBinary(st *state, x *syntax.BinaryArithm) value.Value {
	switch x.Op {
	case syntax.Assgn:
		v := w.arith(st, x.Y)
		w.arithAssign(st, x.X, v)
		return v
	case syntax.AddAssgn, syntax.SubAssgn, syntax.MulAssgn, syntax.QuoAssgn, syntax.RemAssgn, syntax.AndAssgn,
		syntax.OrAssgn, syntax.XorAssgn, syntax.ShlAssgn, syntax.ShrAssgn:
		v := number()
		a, okA := exactOf(w.arith(st, x.X))
		b, okB := exactOf(w.arith(st, x.Y))
		if okA && okB {
			v = compute(assignOp(x.Op), a, b)
		}
		w.arithAssign(st, x.X, v)
		return v
	case syntax.AndArit, syntax.OrArit, syntax.TernQuest, syntax.TernColon:
		// The second side may not be evaluated.
		a := w.arith(st, x.X)
		side := st.clone()
		b := w.arith(side, x.Y)
		*st = *join(st, side)
		return logical(x.Op, a, b)
	case syntax.Comma:
		w.arith(st, x.X)
		return w.arith(st, x.Y)
	}
	a, okA := exactOf(w.arith(st, x.X))
	b, okB := exactOf(w.arith(st, x.Y))
	if !okA || !okB {
		return number()
	}
	return compute(x.Op, a, b)
}

func assignOp(op syntax.BinAritOperator) syntax.BinAritOperator {
	switch op {
	case syntax.AddAssgn:
		return syntax.Add
	case syntax.SubAssgn:
		return syntax.Sub
	case syntax.MulAssgn:
		return syntax.Mul
	case syntax.QuoAssgn:
		return syntax.Quo
	case syntax.RemAssgn:
		return syntax.Rem
	case syntax.AndAssgn:
		return syntax.And
	case syntax.OrAssgn:
		return syntax.Or
	case syntax.XorAssgn:
		return syntax.Xor
	case syntax.ShlAssgn:
		return syntax.Shl
	}
	return syntax.Shr
}

func logical(op syntax.BinAritOperator, a, b value.Value) value.Value {
	x, okX := exactOf(a)
	y, okY := exactOf(b)
	switch {
	case op == syntax.AndArit && okX && okY:
		return truth(x != 0 && y != 0)
	case op == syntax.OrArit && okX && okY:
		return truth(x != 0 || y != 0)
	}
	return number()
}

// arithAssign assigns to the variable, or the array's element, that x names.
func (w *walker) arithAssign(st *state, x syntax.ArithmExpr, v value.Value) {
	word, ok := x.(*syntax.Word)
	if ok && len(word.Parts) == 1 {
		switch p := word.Parts[0].(type) {
		case *syntax.Lit:
			if syntax.ValidName(p.Value) {
				w.assign(st, assignment{name: p.Value, val: v}, x)
				return
			}
		case *syntax.ParamExp:
			if p.Param != nil && syntax.ValidName(p.Param.Value) && !p.Dollar.IsValid() {
				w.assign(st, assignment{name: p.Param.Value, val: v, indexd: p.Index != nil,
					index: value.Unknown("a subscript")}, x)
				return
			}
		}
	}
	w.unread(x, "arithmetic assigns to a name that is not known")
	st.forget("arithmetic may have assigned any variable")
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

func exactInt(n int64) value.Value { return value.Exact(strconv.FormatInt(n, 10)) }

func truth(b bool) value.Value {
	if b {
		return value.Exact("1")
	}
	return value.Exact("0")
}

func exactOf(v value.Value) (int64, bool) {
	t, ok := v.Text()
	if !ok {
		return 0, false
	}
	return integer(t)
}

// integer reads a number as bash's arithmetic does: decimal, 0x, leading 0
// for octal, base#digits up to base 36.
func integer(s string) (int64, bool) {
	base, digits, has := strings.Cut(s, "#")
	if has {
		b, err := strconv.Atoi(base)
		if err != nil || b < 2 || b > 36 {
			return 0, false
		}
		n, err := strconv.ParseInt(digits, b, 64)
		return n, err == nil && digits[0] != '-' && digits[0] != '+'
	}
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	b := 10
	switch {
	case strings.HasPrefix(s, "0x"), strings.HasPrefix(s, "0X"):
		s, b = s[2:], 16
	case len(s) > 1 && s[0] == '0':
		s, b = s[1:], 8
	}
	if s == "" || s[0] == '-' || s[0] == '+' {
		return 0, false
	}
	n, err := strconv.ParseInt(sign+s, b, 64)
	return n, err == nil
}

func compute(op syntax.BinAritOperator, a, b int64) value.Value {
	const big = 1 << 31
	switch op {
	case syntax.Add:
		return exactInt(a + b)
	case syntax.Sub:
		return exactInt(a - b)
	case syntax.Mul:
		return exactInt(a * b)
	case syntax.Quo, syntax.Rem:
		if b == 0 || a == math.MinInt64 {
			return number()
		}
		if op == syntax.Quo {
			return exactInt(a / b)
		}
		return exactInt(a % b)
	case syntax.Pow:
		if b < 0 || b > 62 || a > big || a < -big {
			return number()
		}
		n := int64(1)
		for range b {
			n *= a
		}
		return exactInt(n)
	case syntax.And:
		return exactInt(a & b)
	case syntax.Or:
		return exactInt(a | b)
	case syntax.Xor:
		return exactInt(a ^ b)
	case syntax.Shl, syntax.Shr:
		if b < 0 || b > 63 {
			return number()
		}
		if op == syntax.Shl {
			return exactInt(a << uint(b))
		}
		return exactInt(a >> uint(b))
	case syntax.Eql:
		return truth(a == b)
	case syntax.Neq:
		return truth(a != b)
	case syntax.Lss:
		return truth(a < b)
	case syntax.Gtr:
		return truth(a > b)
	case syntax.Leq:
		return truth(a <= b)
	case syntax.Geq:
		return truth(a >= b)
	}
	return number()
}
