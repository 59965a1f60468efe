package install

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

func splice(text []byte, from, to int, with string) []byte {
	out := make([]byte, 0, len(text)+len(with))
	out = append(out, text[:from]...)
	out = append(out, with...)
	return append(out, text[to:]...)
}

// makeTable is the table at path, made where it is missing.
func makeTable(tree map[string]any, path []string) map[string]any {
	for _, name := range path {
		next, ok := tree[name].(map[string]any)
		if !ok {
			next = map[string]any{}
			tree[name] = next
		}
		tree = next
	}
	return tree
}

// pruned is a copy without empty tables: a header alone says nothing.
func pruned(tree map[string]any) map[string]any {
	out := map[string]any{}
	for name, v := range tree {
		if sub, ok := v.(map[string]any); ok {
			if sub = pruned(sub); len(sub) == 0 {
				continue
			}
			v = sub
		}
		out[name] = v
	}
	return out
}

// merge adds what a block of tables says: tables are joined, lists of tables
// grow.
func merge(tree, more map[string]any) {
	for name, v := range more {
		switch v := v.(type) {
		case map[string]any:
			merge(makeTable(tree, []string{name}), v)
		case []any:
			old, _ := tree[name].([]any)
			tree[name] = append(old, v...)
		default:
			tree[name] = v
		}
	}
}

func tomlPath(path []string) string {
	names := make([]string, len(path))
	for i, p := range path {
		names[i] = tomlName(p)
	}
	return strings.Join(names, ".")
}

func tomlName(s string) string {
	if regexp.MustCompile(`^[A-Za-z0-9_-]+$`).MatchString(s) {
		return s
	}
	return tomlString(s)
}

func tomlValue(v any) string {
	if b, ok := v.(bool); ok {
		return strconv.FormatBool(b)
	}
	s, _ := v.(string)
	return tomlString(s)
}

// tomlString writes a basic string.
func tomlString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
