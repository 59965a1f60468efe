package facts

import (
	"path/filepath"
	"slices"
	"strings"

	"mayi/internal/hook"
	"mayi/internal/runner"
	"mayi/pkg/permissions"
)

// Reading is the call as one that the gate can decide.
type Reading struct {
	Tool  permissions.Tool
	Input map[string]any
	// Only tightens: the reading counts where the decision about it objects.
	Only bool
}

// Agent is who makes the calls.
type Agent struct {
	// Name is the agent's in rules, Table the one of hook.Names whose names for
	// tools it uses; "" for none.
	Name, Table string
	// Cwd is the session's folder.
	Cwd string
}

// Readings are the ways in which the call can be read: never none. All of them
// have to be allowed.
func (c *Call) Readings(a Agent) []Reading {
	if c.Wrong != "" {
		return []Reading{c.foreign(a, "unreadable", nil)}
	}
	for _, in := range c.Inputs {
		if out := c.named(a, in); out != nil {
			return out
		}
		if r, ok := shell(in, a.Cwd); ok {
			return []Reading{r}
		}
	}
	in := map[string]any{}
	if len(c.Inputs) > 0 {
		in = c.Inputs[0]
	} else if out := c.named(a, in); out != nil && !out[0].Tool.Builtin && out[0].Tool.Server != a.Name && out[0].Tool.Server != a.Table {
		return out // a server's tool that takes no arguments
	}
	switch c.Kind {
	case "read":
		if paths := c.paths(in); len(paths) > 0 {
			return []Reading{onFiles("read", paths)}
		}
	case "edit":
		if paths := c.paths(in); len(paths) > 0 {
			return []Reading{onFiles("multi_edit", paths)}
		}
	case "search":
		return []Reading{c.search(in)}
	case "fetch":
		if url := text(in, "url", "uri"); url != "" {
			return []Reading{builtin("web_fetch", map[string]any{"url": url})}
		}
	case "think":
		if len(in) == 0 || len(c.paths(in)) == 0 && text(in, "url") == "" {
			return []Reading{builtin("todo", in)}
		}
	case "switch_mode":
		// Whether it may is for the person alone.
		return []Reading{builtin("tool_search", map[string]any{"query": c.Title})}
	case "", "other":
		if len(c.Diffs) > 0 {
			return []Reading{onFiles("multi_edit", c.paths(in))}
		}
		return c.server(a, in)
	}
	kind := c.Kind
	if !slices.Contains([]string{"read", "edit", "delete", "move", "execute", "fetch", "think"}, kind) {
		kind = "other"
	}
	return []Reading{c.foreign(a, kind, in)}
}

// named reads the call by the agent's own name for the tool.
func (c *Call) named(a Agent, in map[string]any) []Reading {
	if c.Name == "" || a.Table == "" {
		return nil
	}
	// The tools that an adapter puts in the place of the agent's own.
	name := strings.TrimPrefix(c.Name, "mcp__acp__")
	n, ok := hook.Read(a.Table, name, a.Cwd, in)
	if !ok {
		return nil
	}
	if n.Wrong != "" {
		return []Reading{c.foreign(a, name, in)}
	}
	if n.Tool.Builtin && slices.Contains([]string{"read", "write", "edit", "multi_edit", "notebook_edit"}, n.Tool.Name) {
		n.Input["paths"] = both(n.Input["paths"], c.said())
	}
	out := []Reading{{Tool: n.Tool, Input: n.Input}}
	for _, t := range n.Also {
		out = append(out, Reading{Tool: t, Input: n.Input, Only: true})
	}
	return out
}

// shell is the call as a command line, where the input holds one.
func shell(in map[string]any, cwd string) (Reading, bool) {
	command := ""
	for _, k := range []string{"command", "cmd", "script"} {
		switch v := in[k].(type) {
		case string:
			command = v
		case []any:
			words, ok := argv(v)
			if !ok {
				return Reading{}, false
			}
			command = runner.Join(words)
		}
		if command != "" {
			break
		}
	}
	if command == "" {
		return Reading{}, false
	}
	out := map[string]any{"command": command}
	if dir := text(in, "cwd", "workdir", "dir_path", "directory", "working_directory"); dir != "" {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(cwd, dir)
		}
		out["cwd"] = dir
	}
	return builtin("bash", out), true
}

func builtin(tool string, in map[string]any) Reading {
	return Reading{Tool: permissions.Tool{Name: tool, Builtin: true}, Input: in}
}

func onFiles(tool string, paths []string) Reading {
	return builtin(tool, map[string]any{"paths": list(paths)})
}

// search looks below every folder that is named, or below the session's.
func (c *Call) search(in map[string]any) Reading {
	out := map[string]any{"pattern": text(in, "pattern", "glob", "query", "regex")}
	if paths := c.paths(in); len(paths) > 0 {
		out["paths"] = list(paths)
	}
	return builtin("find", out)
}

// server is a tool of which nothing is known but, perhaps, whose it is.
func (c *Call) server(a Agent, in map[string]any) []Reading {
	name := c.Name
	if name == "" {
		name = "other"
	}
	out := []Reading{c.foreign(a, name, in)}
	joined, ok := strings.CutPrefix(c.Title, "mcp__")
	if server, tool, two := strings.Cut(joined, "__"); ok && two && server != "" && tool != "" {
		out = append(out, Reading{Tool: permissions.Tool{Server: server, Name: tool}, Input: out[0].Input, Only: true})
	}
	return out
}

// foreign is a tool of the agent's that declares nothing: what is among its
// arguments is looked at.
func (c *Call) foreign(a Agent, name string, in map[string]any) Reading {
	args := map[string]any{}
	for k, v := range in {
		args[k] = v
	}
	if said := c.said(); len(said) > 0 {
		args["paths"] = both(args["paths"], said)
	}
	args["title"] = " " + c.Title // what it is called is no path
	return Reading{Tool: permissions.Tool{Server: a.Name, Name: name}, Input: map[string]any{"name": name, "arguments": args}}
}
