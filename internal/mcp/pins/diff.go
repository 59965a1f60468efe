package pins

import (
	"encoding/json"
	"fmt"
	"strings"
)

// maxLines bounds how many lines of a value are compared one by one.
const maxLines = 400

// Difference says in lines what is not the same in two versions of a tool:
// "-" before what was, "+" before what is.
func Difference(was, is Tool) string {
	var b strings.Builder
	for _, f := range []struct{ name, was, is string }{
		{"title", was.Title, is.Title},
		{"description", was.Description, is.Description},
		{"input schema", pretty(was.Input), pretty(is.Input)},
		{"output schema", pretty(was.Output), pretty(is.Output)},
		{"annotations", pretty(was.Annotations), pretty(is.Annotations)},
	} {
		if f.was == f.is {
			continue
		}
		fmt.Fprintf(&b, "%s:\n", f.name)
		for _, l := range compare(lines(f.was), lines(f.is)) {
			b.WriteString(l + "\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func pretty(v any) string {
	if v == nil {
		return ""
	}
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

func lines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, "\n")
}

// compare lists the lines that are gone and new, with one line of context
// around them.
func compare(was, is []string) []string {
	if len(was) > maxLines || len(is) > maxLines {
		return append(mark("- ", was), mark("+ ", is)...)
	}
	// common[i][j] is the length of the longest common part of was[i:], is[j:].
	common := make([][]int, len(was)+1)
	for i := range common {
		common[i] = make([]int, len(is)+1)
	}
	for i := len(was) - 1; i >= 0; i-- {
		for j := len(is) - 1; j >= 0; j-- {
			if was[i] == is[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var out []string
	for i, j := 0, 0; i < len(was) || j < len(is); {
		switch {
		case i < len(was) && j < len(is) && was[i] == is[j]:
			out = append(out, "  "+was[i])
			i, j = i+1, j+1
		case j == len(is) || i < len(was) && common[i+1][j] >= common[i][j+1]:
			out = append(out, "- "+was[i])
			i++
		default:
			out = append(out, "+ "+is[j])
			j++
		}
	}
	return near(out)
}

// near leaves out the lines that are the same and far from any other.
func near(all []string) []string {
	var out []string
	skipped := false
	for i, l := range all {
		if changed(l) || i > 0 && changed(all[i-1]) || i+1 < len(all) && changed(all[i+1]) {
			if skipped && len(out) > 0 {
				out = append(out, "  …")
			}
			out, skipped = append(out, l), false
			continue
		}
		skipped = true
	}
	return out
}

func changed(l string) bool { return l[0] != ' ' }

func mark(with string, all []string) []string {
	out := make([]string, len(all))
	for i, l := range all {
		out[i] = with + l
	}
	return out
}
