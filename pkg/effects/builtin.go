package effects

import (
	"slices"
	"strings"

	"mayi/pkg/permissions"
)

// IsBuiltin reports whether mayi has a tool of this name.
func IsBuiltin(name string) bool {
	switch name {
	case "read", "write", "edit", "multi_edit", "notebook_edit", "ls", "grep", "find", "glob",
		"web_fetch", "web_search", "tool_search", "request_permission", "todo", "task_list":
		return true
	}
	return IsShell(name)
}

// builtin declares the effects of mayi's own tools. The names are those of
// the registry; an unknown one declares nothing.
func builtin(r Request) []permissions.Effect {
	switch r.Tool.Name {
	case "read":
		return onFile(r, false, permissions.Read)
	case "write":
		return onFile(r, false, permissions.FSWrite)
	case "edit", "multi_edit", "notebook_edit":
		return onFile(r, false, permissions.Read, permissions.FSWrite)
	case "ls":
		return onFolder(r, false)
	case "grep", "find", "glob":
		return onFolder(r, true)
	case "web_fetch":
		return fetch(r)
	case "web_search":
		return []permissions.Effect{{Kind: permissions.NetRead, Certainty: permissions.Unknown, Part: -1, Why: "a search service picks the hosts"}}
	case "tool_search":
		return own(permissions.Read)
	case "request_permission", "todo", "task_list":
		return own(permissions.StateWrite)
	}
	return undeclared("the tool " + r.Tool.Name + " declares no effect")
}

// own is an effect on the agent's own state, which is no file of the person's.
func own(k permissions.Kind) []permissions.Effect {
	return []permissions.Effect{{Kind: k, Certainty: permissions.Exact, Part: -1, Place: permissions.Place{Zone: permissions.Device}}}
}

func onFile(r Request, recursive bool, kinds ...permissions.Kind) []permissions.Effect {
	names := pathArguments(r, "file_path", "path", "absolute_path", "notebook_path", "filePath")
	if len(names) == 0 {
		return undeclared("the call names no file")
	}
	var out []permissions.Effect
	for _, name := range names {
		out = append(out, at(absolute(name, r), recursive, kinds...)...)
	}
	return out
}

// onFolder is for the tools whose path may be left out; then it is the
// working directory.
func onFolder(r Request, recursive bool) []permissions.Effect {
	names := pathArguments(r, "path", "dir_path", "directory", "file_path")
	if len(names) == 0 {
		if hasAny(r.Input, "path", "dir_path", "directory", "file_path", "paths") {
			return undeclared("the path is not a usable text")
		}
		names = []string{"."}
	}
	var effects []permissions.Effect
	for _, name := range names {
		effects = append(effects, at(absolute(name, r), recursive, permissions.Read)...)
		if r.Tool.Name == "grep" {
			continue // its pattern is no path
		}
		base := r
		base.Cwd = absolute(name, r)
		for _, p := range leaving(text(r.Input, "pattern")) {
			e := at(absolute(p, base), true, permissions.Read)
			e[0].Certainty, e[0].Glob = permissions.Bounded, true
			effects = append(effects, e...)
		}
	}
	return effects
}

// leaving is the pattern where it, or one of the choices in its braces, leaves
// the folder that it is looked for in: it climbs or starts at the root.
func leaving(pattern string) []string {
	choices := []string{pattern}
	if strings.Contains(pattern, "{") {
		choices = append(choices, strings.FieldsFunc(pattern, func(r rune) bool { return strings.ContainsRune("{,}", r) })...)
	}
	var out []string
	for _, p := range choices {
		if strings.HasPrefix(p, "/") || strings.HasPrefix(p, "~") || p == ".." || strings.HasPrefix(p, "../") || strings.Contains(p, "/../") || strings.HasSuffix(p, "/..") {
			out = append(out, p)
		}
	}
	return out
}

func at(path string, recursive bool, kinds ...permissions.Kind) []permissions.Effect {
	out := make([]permissions.Effect, 0, len(kinds))
	for _, k := range kinds {
		out = append(out, permissions.Effect{Kind: k, Path: path, Recursive: recursive, Certainty: permissions.Exact, Origin: permissions.FromTool, Part: -1})
	}
	return out
}

func fetch(r Request) []permissions.Effect {
	url, ok := r.Input["url"].(string)
	if !ok || url == "" {
		return undeclared("the call names no URL")
	}
	if path, ok := fileURL(url); ok {
		return append(at(path, false, permissions.Read), undeclared("a file URL is not fetched over the network")...)
	}
	e := permissions.Effect{Kind: permissions.NetRead, URL: url, Certainty: permissions.Exact, Origin: permissions.FromTool, Part: -1}
	host, err := permissions.HostOfURL(url)
	if err != nil {
		e.Certainty, e.Why = permissions.Unknown, err.Error()
		return append([]permissions.Effect{e}, undeclared("the URL cannot be fetched: "+err.Error())...)
	}
	e.Host = host
	return []permissions.Effect{e}
}

// pathArguments are the paths that the call gives, under any of the names for
// one or in a list of several ("paths"): which of several counts is for the tool to know. One that cannot be a
// path makes the call one without a path.
func pathArguments(r Request, keys ...string) []string {
	var out []string
	given := make([]any, 0, len(keys))
	for _, k := range keys {
		given = append(given, r.Input[k])
	}
	switch list := r.Input["paths"].(type) {
	case nil:
	case []any:
		given = append(given, list...)
	default:
		return nil
	}
	for _, v := range given {
		s, ok := v.(string)
		if !ok && v != nil || strings.ContainsRune(s, 0) {
			return nil
		}
		if s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func hasAny(in map[string]any, keys ...string) bool {
	for _, k := range keys {
		if v, ok := in[k]; ok && v != nil && v != "" {
			return true
		}
	}
	return false
}
