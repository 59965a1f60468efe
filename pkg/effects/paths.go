package effects

import (
	"net/url"
	"strings"
)

// absolute joins name to the working directory. It is not cleaned: "link/.."
// is for the kernel to say. "~" and "~/…" are the home directory, as people
// who type a path to an agent mean it; the file tools open what was decided,
// so the two cannot differ.
func absolute(name string, r Request) string {
	switch {
	case strings.HasPrefix(name, "/"):
		return name
	case name == "~" && r.Home != "":
		return r.Home
	case strings.HasPrefix(name, "~/") && r.Home != "":
		return strings.TrimSuffix(r.Home, "/") + name[1:]
	}
	return strings.TrimSuffix(r.Cwd, "/") + "/" + name
}

// fileURL returns the path of a file: URL.
func fileURL(s string) (string, bool) {
	if len(s) < 5 || !strings.EqualFold(s[:5], "file:") {
		return "", false
	}
	rest := s[5:]
	if strings.HasPrefix(rest, "//") {
		rest = rest[2:]
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			rest = rest[i:]
		}
	}
	rest, _, _ = strings.Cut(rest, "?")
	rest, _, _ = strings.Cut(rest, "#")
	if p, err := url.PathUnescape(rest); err == nil {
		rest = p
	}
	if !strings.HasPrefix(rest, "/") {
		rest = "/" + rest
	}
	return rest, true
}
