package facts

import (
	"slices"
	"sort"
	"strings"
)

// said are the files that are named beside the input.
func (c *Call) said() []string {
	out := slices.Clone(c.Paths)
	for _, d := range c.Diffs {
		if !slices.Contains(out, d.Path) {
			out = append(out, d.Path)
		}
	}
	return out
}

// paths are all files that the call names.
func (c *Call) paths(in map[string]any) []string {
	out := c.said()
	add := func(s string) {
		if s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	keys := make([]string, 0, len(in))
	for k := range in {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		if textKey(k) {
			continue
		}
		switch v := in[k].(type) {
		case string:
			if pathKey(k) || looksLikePath(v) {
				add(v)
			}
		case []any:
			words, _ := argv(v)
			for _, w := range words {
				if pathKey(k) || looksLikePath(w) {
					add(w)
				}
			}
		case map[string]any:
			if k == "changes" || k == "files" { // by their names
				for name := range v {
					add(name)
				}
			}
		}
	}
	sort.Strings(out)
	return out
}

// pathKey reports whether an argument of this name holds a file's name.
func pathKey(k string) bool {
	k = strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(k))
	for _, end := range []string{"path", "paths", "file", "files", "filename", "dir", "directory", "folder"} {
		if strings.HasSuffix(k, end) {
			return true
		}
	}
	return slices.Contains([]string{"source", "destination", "src", "dst", "from", "to", "cwd"}, k)
}

// textKey reports whether an argument of this name holds a text, whatever it
// begins with.
func textKey(k string) bool {
	switch strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(k)) {
	case "content", "contents", "newtext", "oldtext", "newstring", "oldstring", "newstr", "oldstr", "text", "diff", "patch", "unifieddiff",
		"description", "explanation", "reason", "prompt", "title", "pattern", "query", "regex":
		return true
	}
	return false
}

func looksLikePath(s string) bool {
	if len(s) > 4096 || strings.ContainsAny(s, "\n") {
		return false
	}
	return strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~") || strings.HasPrefix(s, "file://") || s == ".." ||
		strings.HasPrefix(s, "../") || strings.Contains(s, "/../") || strings.HasSuffix(s, "/..")
}

func list(words []string) []any {
	out := make([]any, len(words))
	for i, w := range words {
		out[i] = w
	}
	return out
}

// both is a list that may be there already with more at its end.
func both(have any, more []string) any {
	old, ok := have.([]any)
	if !ok && have != nil {
		return have // it is judged as what it is
	}
	if len(old)+len(more) == 0 {
		return nil
	}
	return append(slices.Clone(old), list(more)...)
}
