package knowledge

import (
	"path"
	"strings"

	"mayi/pkg/shell/value"
)

// condition is what the tests before an action let through.
type condition struct {
	// names are patterns of which a file's own name meets one; nil where any
	// name may pass.
	names []string
	// regular: only ordinary files pass, no links.
	regular bool
}

// test reads tests on names and on the kind of a file, and the operators
// between tests, and returns how many words they take. What follows an "or" is
// only held to the tests behind it.
func (f *finder) test(ops []operand, i int) int {
	text := func(n int) string {
		if i+n >= len(ops) {
			return ""
		}
		t, _ := ops[i+n].val.Text()
		return t
	}
	last := condition{}
	if n := len(f.outer); n > 0 {
		last = f.outer[n-1]
	}
	switch t := text(0); t {
	case "(":
		if names, n := nameGroup(ops[i:]); n > 0 {
			f.met.names = names
			return n
		}
		f.outer = append(f.outer, f.met)
		return 1
	case ")":
		f.met = last
		if n := len(f.outer); n > 0 {
			f.outer = f.outer[:n-1]
		}
		return 1
	case "-o", "-or", ",":
		f.met = last
		return 1
	case "!", "-not":
		// What the next test does not let through says nothing.
		switch text(1) {
		case "-name", "-iname", "-type":
			return 3
		case "(":
			if _, n := nameGroup(ops[i+1:]); n > 0 {
				return 1 + n
			}
		}
		return 1
	case "-name", "-iname":
		if p, ok := namePattern(t, ops, i); ok {
			f.met.names = []string{p}
		}
		return 2
	case "-type":
		f.met.regular = f.met.regular || text(1) == "f"
		return 2
	}
	return 0
}

// namePattern is the pattern of a test on a file's name, as the shell would
// write it.
func namePattern(test string, ops []operand, i int) (string, bool) {
	if i+1 >= len(ops) {
		return "", false
	}
	p, ok := ops[i+1].val.Text()
	if !ok || p == "" || strings.ContainsAny(p, "/\\") || strings.Contains(p, "**") || strings.Contains(p, "[:") {
		return "", false
	}
	if test == "-iname" {
		if strings.Contains(p, "[") {
			return "", false
		}
		var b strings.Builder
		for _, r := range p {
			lower, upper := strings.ToLower(string(r)), strings.ToUpper(string(r))
			switch {
			case lower == upper:
				b.WriteRune(r)
			case len(lower) > 1 || len(upper) > 1:
				return "", false
			default:
				b.WriteString("[" + lower + upper + "]")
			}
		}
		p = b.String()
	}
	return p, true
}

// nameGroup reads ( -name A -o -name B … ) and how many words it takes.
func nameGroup(ops []operand) (names []string, n int) {
	for i := 1; i+2 < len(ops); i += 3 {
		t, _ := ops[i].val.Text()
		p, ok := namePattern(t, ops, i)
		if t != "-name" && t != "-iname" || !ok {
			return nil, 0
		}
		names = append(names, p)
		switch end, _ := ops[i+2].val.Text(); end {
		case ")":
			return names, i + 3
		case "-o", "-or":
		default:
			return nil, 0
		}
	}
	return nil, 0
}

// files is every file below the start points that meets the condition, and
// whether that is less than all of them. "**" stands for any folders, "***"
// where no link is among what is found; follows: links are followed anyway.
func (m condition) files(start []operand, follows bool) (value.Value, bool) {
	deep := "**"
	if m.regular && !follows {
		deep = "***"
	}
	var out value.Value
	first := true
	add := func(v value.Value) {
		if first {
			out, first = v, false
			return
		}
		out = value.Union(out, v)
	}
	for _, s := range start {
		if m.names == nil {
			// The start point itself is part of that.
			add(under(s.val, value.Pattern(deep)))
			continue
		}
		for _, name := range m.names {
			add(under(s.val, value.Pattern(deep+"/"+name)))
			text, ok := s.val.Text()
			if hit, err := path.Match(name, path.Base(text)); !ok || err != nil || hit && text != "." {
				add(s.val)
			}
		}
	}
	return out, m.names != nil
}
