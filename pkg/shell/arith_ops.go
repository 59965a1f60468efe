package shell

import (
	"math"

	"mayi/pkg/shell/value"

	"mvdan.cc/sh/v3/syntax"
)

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
				a := assignment{name: p.Param.Value, val: v}
				if p.Index != nil {
					a.indexd, a.index = true, w.subscript(st, p.Index, st.lookup(a.name).assoc)
				}
				w.assign(st, a, x)
				return
			}
		}
	}
	w.unread(x, "arithmetic assigns to a name that is not known")
	st.forget("arithmetic may have assigned any variable")
}
