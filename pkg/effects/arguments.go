package effects

import (
	"sort"
	"strings"
	"unicode"
)

// argumentWalk collects the paths and URLs among a foreign call's arguments: by
// what the tool's schema calls them, by their names, and by their look.
type argumentWalk struct {
	r     Request
	left  int
	paths []string
	urls  []string
}

// value looks at one argument; schema is what the tool's schema says about it.
func (w *argumentWalk) value(key string, v any, schema map[string]any) {
	if w.left--; w.left < 0 {
		return
	}
	switch v := v.(type) {
	case string:
		w.text(role(key, schema), v)
	case []any:
		items, _ := schema["items"].(map[string]any)
		for _, x := range v {
			w.value(key, x, items)
		}
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		properties, _ := schema["properties"].(map[string]any)
		for _, k := range keys {
			below, _ := properties[k].(map[string]any)
			w.value(k, v[k], below)
			// Keys can be paths, too ({"/etc/passwd": "…"}).
			w.text(anything, k)
		}
	}
}

// meaning is what an argument is said to be.
type meaning uint8

const (
	anything meaning = iota
	pathMeaning
	urlMeaning
)

// role is what the schema's format, or else the argument's name, says that it
// is. What is said to be a path is one; nothing makes a path-like value none.
func role(key string, schema map[string]any) meaning {
	format, _ := schema["format"].(string)
	switch strings.ToLower(format) {
	case "path", "file", "filepath", "file-path", "dir", "directory", "directory-path", "folder":
		return pathMeaning
	case "uri", "url", "iri", "hostname", "idn-hostname":
		return urlMeaning
	}
	switch {
	case pathKey(key):
		return pathMeaning
	case urlKey(key):
		return urlMeaning
	}
	return anything
}

// text notes a text that is, or may be taken for, a path or a URL. Blanks around
// it do not hide it: many servers trim their arguments, those in JavaScript a byte
// order mark as well.
func (w *argumentWalk) text(is meaning, s string) {
	blank := func(r rune) bool { return r == '\ufeff' || unicode.IsSpace(r) }
	if trimmed := strings.TrimFunc(s, blank); trimmed != s {
		w.text(is, trimmed)
	}
	if s == "" {
		return
	}
	if len(s) > 4096 || strings.ContainsAny(s, "\x00\n") {
		// A text and no path, unless that is what its name says.
		if len(s) <= 4096 && is == pathMeaning && (strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~") || strings.Contains(s, "..")) {
			w.paths = append(w.paths, absolute(s, w.r))
		}
		return
	}
	if path, ok := fileURL(s); ok {
		w.paths = append(w.paths, path)
		return
	}
	if i := strings.Index(s, "://"); i > 0 && !strings.ContainsAny(s[:i], " /\\") {
		w.urls = append(w.urls, s)
		return
	}
	switch {
	case looksLikePath(s), is == pathMeaning && !strings.ContainsAny(s, "*?"):
		w.paths = append(w.paths, absolute(s, w.r))
	case is == urlMeaning && bareHost(s):
		// Many servers put the scheme before it themselves.
		w.urls = append(w.urls, "https://"+strings.TrimPrefix(s, "//"))
	case strings.HasPrefix(s, "//") && !strings.HasPrefix(strings.TrimLeft(s, "/"), " "):
		// Any number of slashes is the root; "// text" is a remark.
		w.paths = append(w.paths, absolute(s, w.r))
	}
}

// bareHost reports whether s may be a URL without its scheme: it begins with
// something that can be a host.
func bareHost(s string) bool {
	host, _, _ := strings.Cut(strings.TrimPrefix(s, "//"), "/")
	return host != "" && !strings.ContainsAny(host, " \\") && strings.ContainsAny(host, ".:")
}

// looksLikePath is for arguments whose name says nothing.
func looksLikePath(s string) bool {
	switch {
	case s == "/" || s == "~" || s == "..":
		return true
	case strings.HasPrefix(s, "~/"), strings.HasPrefix(s, "./"), strings.HasPrefix(s, "../"), strings.Contains(s, "/../"), strings.HasSuffix(s, "/.."):
		return true
	case strings.HasPrefix(s, "/") && len(s) > 1 && s[1] != ' ' && s[1] != '/':
		return true
	}
	return hiddenName(s)
}

// hiddenName reports whether s is a file name, or a relative path, with a part
// that begins with a dot (".env", "sub/.git/config"): such files are what rules
// and protected paths are about, whatever the argument is called.
func hiddenName(s string) bool {
	hidden := false
	for part := range strings.SplitSeq(s, "/") {
		for i := range len(part) {
			c := part[i]
			if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && strings.IndexByte("._-+@", c) < 0 {
				return false
			}
		}
		// ".5" is a number and "..." a text.
		hidden = hidden || len(part) > 1 && part[0] == '.' && (part[1] >= 'a' && part[1] <= 'z' || part[1] >= 'A' && part[1] <= 'Z')
	}
	return hidden
}

// pathKey reports whether an argument of this name holds a path.
func pathKey(key string) bool {
	k := plainKey(key)
	switch k {
	case "src", "dst", "outfile", "infile", "cwd":
		return true
	}
	for _, s := range []string{"path", "file", "dir", "directory", "folder", "cwd", "root", "dest", "destination"} {
		if k == s || strings.HasSuffix(k, s) || strings.HasSuffix(k, s+"s") || (strings.HasPrefix(k, s) && len(s) > 3 && !strings.HasSuffix(k, "content") && !strings.HasSuffix(k, "type") && !strings.HasSuffix(k, "size")) {
			return true
		}
	}
	return false
}

// urlKey reports whether an argument of this name holds a URL or a host.
func urlKey(key string) bool {
	k := plainKey(key)
	for _, s := range []string{"url", "uri", "href", "link", "endpoint", "host", "hostname", "domain", "website"} {
		if k == s || k == s+"s" || (s == "url" || s == "uri" || s == "host") && (strings.HasSuffix(k, s) || strings.HasSuffix(k, s+"s")) {
			return true
		}
	}
	return false
}

func plainKey(key string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "").Replace(key))
}
