package effects

import (
	"sort"
	"strings"

	"mayi/pkg/permissions"
)

// maxArguments bounds how many argument values of a foreign call are looked
// at; a call with more of them is undeclared whatever its operator said.
const maxArguments = 4096

// foreign is a tool that is not mayi's own: what its operator declared, else
// undeclared, and in both cases the paths and URLs among its arguments. A
// server's own word about its tools is no declaration.
func foreign(r Request) []permissions.Effect {
	name := r.Tool.Name
	if r.Tool.Server != "" {
		name = r.Tool.Server + "." + name
	}
	var out []permissions.Effect
	writes, nets := true, permissions.NetWrite
	if len(r.Declared) == 0 {
		out = undeclared("the tool " + name + " declares no effect")
	} else {
		writes, nets = false, permissions.NetRead
		for _, k := range r.Declared {
			if k == permissions.Undeclared {
				return undeclared("the declaration of " + name + " holds an unknown word")
			}
			out = append(out, permissions.Effect{Kind: k, Certainty: permissions.Bounded, Origin: permissions.FromArgument, Part: -1, Program: name, Place: permissions.Place{Zone: permissions.Device}})
			writes = writes || k == permissions.FSWrite || k == permissions.Exec
			if k == permissions.NetWrite || k == permissions.Exec {
				nets = permissions.NetWrite
			}
		}
	}
	w := argumentWalk{r: r, left: maxArguments}
	w.value("", arguments(r.Input))
	if w.left < 0 {
		return append(out, undeclared("the call has too many arguments to look at")...)
	}
	for _, p := range w.paths {
		out = append(out, permissions.Effect{Kind: permissions.Read, Path: p, Certainty: permissions.Bounded, Origin: permissions.FromArgument, Part: -1})
		if writes {
			out = append(out, permissions.Effect{Kind: permissions.FSWrite, Path: p, Certainty: permissions.Bounded, Origin: permissions.FromArgument, Part: -1})
		}
	}
	for _, u := range w.urls {
		e := permissions.Effect{Kind: nets, URL: u, Certainty: permissions.Exact, Origin: permissions.FromArgument, Part: -1}
		if host, err := permissions.HostOfURL(u); err == nil {
			e.Host = host
		} else {
			e.Certainty, e.Why = permissions.Unknown, err.Error()
		}
		out = append(out, e)
	}
	return out
}

// arguments are the tool's own arguments: MCP calls arrive as
// {"name", "arguments"}.
func arguments(in map[string]any) any {
	if args, ok := in["arguments"]; ok {
		if _, named := in["name"]; named {
			return args
		}
	}
	return in
}

type argumentWalk struct {
	r     Request
	left  int
	paths []string
	urls  []string
}

func (w *argumentWalk) value(key string, v any) {
	if w.left--; w.left < 0 {
		return
	}
	switch v := v.(type) {
	case string:
		w.text(key, v)
	case []any:
		for _, x := range v {
			w.value(key, x)
		}
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for _, k := range keys {
			w.value(k, v[k])
			// Keys can be paths, too ({"/etc/passwd": "…"}).
			w.text("", k)
		}
	}
}

// text notes a text that is, or may be taken for, a path or a URL. Blanks around
// it do not hide it: many servers trim their arguments.
func (w *argumentWalk) text(key, s string) {
	if trimmed := strings.TrimSpace(s); trimmed != s {
		w.text(key, trimmed)
	}
	if s == "" {
		return
	}
	if len(s) > 4096 || strings.ContainsAny(s, "\x00\n") {
		// A text and no path, unless that is what its name says.
		if len(s) <= 4096 && pathKey(key) && (strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~") || strings.Contains(s, "..")) {
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
	if looksLikePath(s) || (pathKey(key) && !strings.ContainsAny(s, "*?")) {
		w.paths = append(w.paths, absolute(s, w.r))
	}
}

// looksLikePath is for arguments whose name says nothing.
func looksLikePath(s string) bool {
	switch {
	case s == "/" || s == "~" || s == "..":
		return true
	case strings.HasPrefix(s, "~/"), strings.HasPrefix(s, "./"), strings.HasPrefix(s, "../"), strings.Contains(s, "/../"):
		return true
	case strings.HasPrefix(s, "/") && len(s) > 1 && s[1] != ' ' && s[1] != '/':
		return true
	}
	return false
}

// pathKey reports whether an argument of this name holds a path.
func pathKey(key string) bool {
	k := strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "").Replace(key))
	for _, s := range []string{"path", "file", "dir", "directory", "folder", "cwd", "root", "dest", "destination"} {
		if k == s || strings.HasSuffix(k, s) || strings.HasSuffix(k, s+"s") || (strings.HasPrefix(k, s) && len(s) > 3 && !strings.HasSuffix(k, "content") && !strings.HasSuffix(k, "type") && !strings.HasSuffix(k, "size")) {
			return true
		}
	}
	return false
}
