package shell

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxBraces bounds how many words a brace expansion becomes.
const maxBraces = 128

// braces expands the braces of a word. ok is false where there are too many
// words or it is not known whether braces are expanded at all.
func (w *walker) braces(st *state, word *syntax.Word) (variants [][]syntax.WordPart, ok bool) {
	if st.opts.certain(optNobrace) {
		return [][]syntax.WordPart{word.Parts}, true
	}
	// The split changes the word, whose positions are still needed.
	word = &syntax.Word{Parts: append([]syntax.WordPart(nil), word.Parts...)}
	if !syntax.SplitBraces(word) {
		return [][]syntax.WordPart{word.Parts}, true
	}
	found := false
	for _, p := range word.Parts {
		if _, is := p.(*syntax.BraceExp); is {
			found = true
		}
	}
	if !found {
		return [][]syntax.WordPart{word.Parts}, true
	}
	if st.opts.possible(optNobrace) {
		return nil, false
	}
	if variants, ok = braceParts(word.Parts); !ok {
		return nil, false
	}
	for i := range variants {
		variants[i] = rejoin(variants[i])
	}
	return variants, ok
}

// rejoin puts together what the expansion brought side by side: it works on
// the text, so that $a{b,c} is $ab and $ac, and ~{x,y} two users' homes.
func rejoin(parts []syntax.WordPart) []syntax.WordPart {
	out := make([]syntax.WordPart, 0, len(parts))
	for _, p := range parts {
		lit, ok := p.(*syntax.Lit)
		if !ok || len(out) == 0 {
			out = append(out, p)
			continue
		}
		switch last := out[len(out)-1].(type) {
		case *syntax.Lit:
			c := *last
			c.Value += lit.Value
			out[len(out)-1] = &c
			continue
		case *syntax.ParamExp:
			n := 0
			for n < len(lit.Value) && nameByte(lit.Value[n]) {
				n++
			}
			if last.Short && last.Param != nil && last.Index == nil && n > 0 && syntax.ValidName(last.Param.Value) {
				c, name, rest := *last, *last.Param, *lit
				name.Value += lit.Value[:n]
				c.Param = &name
				out[len(out)-1] = &c
				if rest.Value = lit.Value[n:]; rest.Value != "" {
					out = append(out, &rest)
				}
				continue
			}
		}
		out = append(out, p)
	}
	return out
}

func nameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func braceParts(parts []syntax.WordPart) ([][]syntax.WordPart, bool) {
	out := [][]syntax.WordPart{nil}
	for _, p := range parts {
		br, is := p.(*syntax.BraceExp)
		if !is {
			for i := range out {
				out[i] = append(out[i], p)
			}
			continue
		}
		choices, ok := braceChoices(br)
		if !ok || len(out)*len(choices) > maxBraces {
			return nil, false
		}
		next := make([][]syntax.WordPart, 0, len(out)*len(choices))
		for _, head := range out {
			for _, c := range choices {
				next = append(next, append(append([]syntax.WordPart(nil), head...), c...))
			}
		}
		out = next
	}
	return out, true
}

func braceChoices(br *syntax.BraceExp) ([][]syntax.WordPart, bool) {
	if br.Sequence {
		return braceSequence(br)
	}
	var out [][]syntax.WordPart
	for _, e := range br.Elems {
		sub, ok := braceParts(e.Parts)
		if !ok || len(out)+len(sub) > maxBraces {
			return nil, false
		}
		out = append(out, sub...)
	}
	return out, true
}

// braceSequence is {a..z..2} or {01..10}.
func braceSequence(br *syntax.BraceExp) ([][]syntax.WordPart, bool) {
	lo, hi := br.Elems[0].Lit(), br.Elems[1].Lit()
	step := int64(1)
	if len(br.Elems) > 2 {
		n, err := strconv.ParseInt(br.Elems[2].Lit(), 10, 32)
		if err != nil {
			return nil, false
		}
		step = max(n, -n)
	}
	step = max(step, 1)
	a, errA := strconv.ParseInt(lo, 10, 64)
	b, errB := strconv.ParseInt(hi, 10, 64)
	letters := false
	if errA != nil || errB != nil {
		if len(lo) != 1 || len(hi) != 1 {
			return nil, false
		}
		a, b, letters = int64(lo[0]), int64(hi[0]), true
	}
	if a > b {
		step = -step
	}
	if dist := b - a; dist/step >= maxBraces || (a < 0) != (b < 0) && (dist > 1<<40 || dist < -(1<<40)) {
		return nil, false
	}
	width := 0
	if zeroPadded(lo) || zeroPadded(hi) {
		width = max(len(lo), len(hi))
	}
	var out [][]syntax.WordPart
	for n := a; (step > 0 && n <= b) || (step < 0 && n >= b); n += step {
		text := string(rune(n))
		if !letters {
			text = padded(n, width)
		}
		out = append(out, []syntax.WordPart{&syntax.Lit{Value: text}})
	}
	return out, true
}

func zeroPadded(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return len(s) > 1 && s[0] == '0'
}

func padded(n int64, width int) string {
	s := strconv.FormatInt(max(n, -n), 10)
	sign := ""
	if n < 0 {
		sign = "-"
	}
	for len(s)+len(sign) < width {
		s = "0" + s
	}
	return sign + s
}
