package shell

import (
	"fmt"
	"strconv"
	"strings"

	"mayi/pkg/shell/value"
)

// printfText is what printf prints, as far as the directives are the common
// ones and the words are known.
func printfText(format value.Value, args []value.Value) value.Value {
	f, ok := format.Text()
	if !ok || anyMany(args) {
		return value.Unknown("the output of printf")
	}
	f, stop := printfEscapes(f)
	if stop {
		return value.Unknown("the output of printf")
	}
	var out value.Value
	for round := 0; round == 0 || len(args) > 0; round++ {
		left := len(args)
		piece, rest, ok := printfRound(f, args)
		if !ok || round > 256 {
			return value.Unknown("the output of printf")
		}
		out, args = value.Concat(out, piece), rest
		if len(args) == left {
			break
		}
	}
	return out
}

// printfEscapes undoes the escapes of a format: \nnn is octal here.
func printfEscapes(f string) (string, bool) {
	if !strings.Contains(f, `\`) {
		return f, false
	}
	if strings.Contains(f, `\c`) {
		return "", true
	}
	// A NUL would end $'…' but not printf's text.
	out, _ := ansiC(strings.ReplaceAll(f, `\0`, `\00`), false)
	if strings.Contains(f, `\0`) || strings.Contains(f, `\x00`) {
		return "", true
	}
	return out, false
}

// printfRound uses the format once.
func printfRound(f string, args []value.Value) (out value.Value, rest []value.Value, ok bool) {
	next := func() value.Value {
		if len(args) == 0 {
			return value.Value{}
		}
		v := args[0]
		args = args[1:]
		return v
	}
	for {
		i := strings.IndexByte(f, '%')
		if i < 0 || i+1 >= len(f) {
			return value.Concat(out, value.Exact(f)), args, i < 0
		}
		out = value.Concat(out, value.Exact(f[:i]))
		f = f[i+1:]
		spec := f[:len(f)-len(strings.TrimLeft(f, "-+ #0123456789."))]
		f = f[len(spec):]
		if f == "" {
			return out, args, false
		}
		verb := f[0]
		f = f[1:]
		var v value.Value
		switch verb {
		case '%':
			v = value.Exact("%")
		case 's':
			v = next()
			if spec != "" {
				t, exact := v.Text()
				if !exact || strings.ContainsAny(spec, "+ #") {
					return out, args, false
				}
				v = value.Exact(fmt.Sprintf("%"+spec+"s", t))
			}
		case 'd', 'i':
			v = next()
			t, exact := v.Text()
			n, err := strconv.ParseInt(t, 10, 64)
			switch {
			case exact && t == "":
				n = 0
			case !exact && v.Integer() && spec == "":
				out = value.Concat(out, v)
				continue
			case !exact || err != nil || strings.ContainsAny(spec, "#.") || len(t) > 1 && t[0] == '0':
				return out, args, false
			}
			v = value.Exact(fmt.Sprintf("%"+spec+"d", n))
		case 'b':
			t, exact := next().Text()
			dec, stop := ansiC(t, true)
			if !exact || stop || spec != "" {
				return out, args, false
			}
			v = value.Exact(dec)
		default:
			return out, args, false
		}
		out = value.Concat(out, v)
	}
}
