package shell

import (
	"strings"

	"mayi/pkg/shell/value"

	"mvdan.cc/sh/v3/syntax"
)

// testExpr evaluates the inside of [[ ]]: its words expand, and the sides of
// -eq and its like are arithmetic.
func (w *walker) testExpr(st *state, x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.Word:
		w.quotedWord(st, x)
	case *syntax.ParenTest:
		w.testExpr(st, x.X)
	case *syntax.UnaryTest:
		if word, ok := x.X.(*syntax.Word); ok && (x.Op == syntax.TsVarSet || x.Op == syntax.TsRefVar) {
			w.testVar(st, w.quotedWord(st, word), x)
			return
		}
		w.testExpr(st, x.X)
	case *syntax.BinaryTest:
		switch x.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			w.testNumber(st, x.X)
			w.testNumber(st, x.Y)
		case syntax.TsMatch, syntax.TsMatchShort, syntax.TsNoMatch, syntax.TsReMatch:
			w.testExpr(st, x.X)
			if word, ok := x.Y.(*syntax.Word); ok {
				w.pattern(st, word)
			} else {
				w.testExpr(st, x.Y)
			}
			if x.Op == syntax.TsReMatch {
				st.set("BASH_REMATCH", &variable{array: true, open: true, val: value.Unknown("a match"), rest: value.Unknown("a match")})
			}
		default:
			w.testExpr(st, x.X)
			w.testExpr(st, x.Y)
		}
	case nil:
	default:
		w.unread(x, "a test that is not known")
	}
}

func (w *walker) testNumber(st *state, x syntax.TestExpr) {
	if word, ok := x.(*syntax.Word); ok {
		w.evalText(st, w.quotedWord(st, word), word)
		return
	}
	w.testExpr(st, x)
}

// testVar is -v name: a subscript in the name is evaluated.
func (w *walker) testVar(st *state, v value.Value, n syntax.Node) {
	w.nameWithSubscript(st, v, n)
}

// nameWithSubscript evaluates the subscript of a name given as text, as
// test -v, printf -v, read, unset and declare do. It returns the bare names.
func (w *walker) nameWithSubscript(st *state, v value.Value, n syntax.Node) (names []string, ok bool) {
	texts, ok := v.Texts()
	if !ok {
		if !v.Integer() {
			w.unread(n, "a variable's name that is not known can run commands in its subscript: "+why(v))
		}
		return nil, false
	}
	for _, t := range texts {
		name, sub, has := strings.Cut(t, "[")
		names = append(names, name)
		if !has {
			continue
		}
		sub = strings.TrimSuffix(sub, "]")
		if sub == "@" || sub == "*" {
			continue
		}
		if st.lookup(name).assoc {
			w.evalPrompt(st, value.Exact(sub), n)
			continue
		}
		w.evalText(st, value.Exact(sub), n)
	}
	return names, true
}
