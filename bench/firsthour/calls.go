package main

import (
	"embed"
	"fmt"
	"path/filepath"
	"strings"

	"mayi/pkg/effects"
	"mayi/pkg/permissions"
)

//go:embed testdata/calls.txt
var testdata embed.FS

// agent is a coding agent as it is when it is installed.
type agent struct {
	letter, name, title string
	// confines: its hook can have commands run confined.
	confines bool
}

var agents = []agent{
	{"c", "claude-code", "Claude Code", true}, {"x", "codex", "Codex", true}, {"g", "gemini", "Gemini CLI", true}, {"q", "qwen", "Qwen Code", true},
	{"u", "cursor", "Cursor", false}, {"p", "copilot", "Copilot", true}, {"o", "opencode", "opencode", true}, {"r", "crush", "Crush", true}, {"", "picoclaw", "PicoClaw", false},
}

// call is one call of a session.
type call struct {
	askers     string // the letters of the agents that ask about it
	kind, what string
}

// asks reports whether the agent asks about the call by itself.
func (c call) asks(a agent) bool { return a.letter != "" && strings.Contains(c.askers, a.letter) }

// calls reads the list of calls.
func calls() ([]call, error) {
	text, err := testdata.ReadFile("testdata/calls.txt")
	if err != nil {
		return nil, err
	}
	var out []call
	for n, line := range strings.Split(string(text), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		askers, rest, _ := strings.Cut(line, " ")
		kind, what, ok := strings.Cut(strings.TrimLeft(rest, " "), " ")
		if !ok || askers != "-" && strings.Trim(askers, "cxgqupor") != "" {
			return nil, fmt.Errorf("calls.txt:%d: %q is no call", n+1, line)
		}
		out = append(out, call{strings.Trim(askers, "-"), kind, strings.ReplaceAll(strings.TrimLeft(what, " "), `\n`, "\n")})
	}
	return out, nil
}

// request is the call as a tool with its input, in a project and a home.
func (c call) request(project, home string) (permissions.Tool, map[string]any, *effects.Foreign, error) {
	tool := func(name string, in map[string]any) (permissions.Tool, map[string]any, *effects.Foreign, error) {
		return permissions.Tool{Name: name, Builtin: true}, in, nil, nil
	}
	path := c.what
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		path = filepath.Join(home, rest)
	} else if !filepath.IsAbs(path) {
		path = filepath.Join(project, path)
	}
	switch c.kind {
	case "shell":
		return tool("bash", map[string]any{"command": c.what})
	case "read", "write", "edit":
		return tool(c.kind, map[string]any{"file_path": path})
	case "glob":
		return tool("find", map[string]any{"pattern": c.what, "path": project})
	case "grep":
		return tool("grep", map[string]any{"pattern": c.what, "path": project})
	case "fetch":
		return tool("web_fetch", map[string]any{"url": c.what})
	case "search":
		return tool("web_search", map[string]any{"query": c.what})
	case "todo":
		return tool("todo", map[string]any{"text": c.what})
	case "mcp-read", "mcp-write":
		server, name, _ := strings.Cut(c.what, ".")
		return permissions.Tool{Server: server, Name: name}, map[string]any{"name": name, "arguments": map[string]any{"query": "x"}}, nil, nil
	}
	return permissions.Tool{}, nil, nil, fmt.Errorf("the kind %q is not known", c.kind)
}
