package effects

import (
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
	name, ok := pathArgument(r, "file_path", "path", "absolute_path", "notebook_path", "filePath")
	if !ok {
		return undeclared("the call names no file")
	}
	return at(absolute(name, r), recursive, kinds...)
}

// onFolder is for the tools whose path may be left out; then it is the
// working directory.
func onFolder(r Request, recursive bool) []permissions.Effect {
	name, ok := pathArgument(r, "path", "dir_path", "directory", "file_path")
	if !ok {
		if hasAny(r.Input, "path", "dir_path", "directory", "file_path") {
			return undeclared("the path is not a usable text")
		}
		name = "."
	}
	effects := at(absolute(name, r), recursive, permissions.Read)
	// A pattern that climbs or starts at the root leaves the folder.
	if r.Tool.Name != "grep" {
		if p := text(r.Input, "pattern"); strings.HasPrefix(p, "/") || strings.HasPrefix(p, "~") || p == ".." || strings.HasPrefix(p, "../") || strings.Contains(p, "/../") || strings.HasSuffix(p, "/..") {
			base := r
			base.Cwd = absolute(name, r)
			e := at(absolute(p, base), true, permissions.Read)
			e[0].Certainty, e[0].Glob = permissions.Bounded, true
			effects = append(effects, e...)
		}
	}
	return effects
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

func pathArgument(r Request, keys ...string) (string, bool) {
	for _, k := range keys {
		if s, ok := r.Input[k].(string); ok && s != "" && !strings.ContainsRune(s, 0) {
			return s, true
		}
	}
	return "", false
}

func hasAny(in map[string]any, keys ...string) bool {
	for _, k := range keys {
		if v, ok := in[k]; ok && v != nil && v != "" {
			return true
		}
	}
	return false
}
