package gate

import (
	"encoding/json"
	"sort"
	"strings"

	"mayi/pkg/effects"
	"mayi/pkg/permissions"
	"mayi/pkg/workspace"
)

// call works out what the request would do and where that leads.
func (g *Gate) call(c *compiled, r Request) permissions.Call {
	declared, _ := c.decider.Declared(r.Tool)
	call := effects.Of(effects.Request{
		Tool:     r.Tool,
		Input:    r.Input,
		Cwd:      g.cwd(r),
		Real:     realFolder,
		Home:     g.opts.Home,
		User:     g.opts.User,
		Env:      g.env(r),
		Remote:   r.Remote,
		Declared: declared,
		Foreign:  r.Foreign,
	}, g.opts.Analyzer)
	call.Confinable = r.Confines && (c.settings.Sandbox == "auto" || c.settings.Sandbox == "required")
	call.Effects = c.space.Resolve(call.Effects, c.watch)
	settleDashed(&call)
	settleBare(&call)
	return call
}

// realFolder is where a working directory leads, "" where it leads nowhere: then
// nothing can run in it.
func realFolder(name string) string {
	if at, err := workspace.Canonical(name); err == nil {
		return at
	}
	return ""
}

// Describe puts the request on one line for people: the command of a shell
// call, otherwise the tool with its arguments. Nothing is left out.
func Describe(r Request) string {
	if r.Tool.Builtin && r.Tool.Server == "" && effects.IsShell(r.Tool.Name) {
		if s, ok := r.Input["command"].(string); ok {
			return s
		}
	}
	name := r.Tool.Name
	if r.Tool.Server != "" {
		name = r.Tool.Server + "." + name
	}
	keys := make([]string, 0, len(r.Input))
	for k := range r.Input {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	parts := []string{name}
	for _, k := range keys {
		b, err := json.Marshal(r.Input[k])
		if err != nil {
			b = []byte("?")
		}
		parts = append(parts, k+"="+string(b))
	}
	return strings.Join(parts, " ")
}
