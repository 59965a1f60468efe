package shell

import (
	"math"
	"strconv"
	"strings"

	"mayi/pkg/shell/value"

	"mvdan.cc/sh/v3/syntax"
)

func number() value.Value { return value.Number("the result of arithmetic") }

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
