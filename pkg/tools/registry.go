package tools

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"mayi/internal/nearest"
	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

// Registry holds the tools of one agent session and runs them by name. Safe
// for concurrent use.
type Registry struct {
	session *Session

	mu    sync.RWMutex
	tools map[string]entry
	done  bool
}

type entry struct {
	tool   Tool
	id     permissions.Tool
	schema *jsonschema.Resolved
}

// NewRegistry returns an empty registry for the session.
func NewRegistry(s *Session) *Registry {
	return &Registry{session: s, tools: map[string]entry{}}
}

// Register adds a tool. mayi's own tools take their calls to the gate
// themselves; every other tool is taken there by the registry, as a foreign
// tool that declares nothing. A name can be used once, and a schema that does
// not hold up is an error.
func (r *Registry) Register(t Tool) error { return r.add(t, "") }

// RegisterForeign adds a tool of an MCP server.
func (r *Registry) RegisterForeign(server string, t Tool) error {
	if server == "" {
		return fmt.Errorf("register %s: a foreign tool needs the name of its server", t.Name())
	}
	return r.add(t, server)
}

func (r *Registry) add(t Tool, server string) error {
	name := t.Name()
	if name == "" {
		return fmt.Errorf("register a tool: it has no name")
	}
	schema, err := resolveSchema(t.Parameters())
	if err != nil {
		return fmt.Errorf("register %s: its parameters are no JSON Schema: %w", name, err)
	}
	_, own := t.(selfGated)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done {
		return fmt.Errorf("register %s: the registry is closed", name)
	}
	if _, taken := r.tools[name]; taken {
		return fmt.Errorf("register %s: there is a tool of that name already", name)
	}
	r.tools[name] = entry{
		tool:   t,
		id:     permissions.Tool{Name: name, Server: server, Builtin: own && server == ""},
		schema: schema,
	}
	return nil
}

// Get returns the tool of that name.
func (r *Registry) Get(name string) (Tool, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	e, ok := r.tools[name]
	return e.tool, ok
}

// Tools returns the tools in the order of their names.
func (r *Registry) Tools() []Tool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	out := make([]Tool, 0, len(r.tools))
	for _, n := range slices.Sorted(maps.Keys(r.tools)) {
		out = append(out, r.tools[n].tool)
	}
	return out
}

// Execute runs the tool of that name. It never panics and never returns nil:
// an unknown tool, arguments that do not fit, a refusal and a tool that
// panics are results.
func (r *Registry) Execute(ctx context.Context, name string, args map[string]any) (res *ToolResult) {
	r.mu.RLock()
	e, ok := r.tools[name]
	done := r.done
	names := slices.Sorted(maps.Keys(r.tools))
	r.mu.RUnlock()
	if done {
		return ErrorResult("the session is closed")
	}
	if !ok {
		return ErrorResult(unknownTool(name, names))
	}
	if args == nil {
		args = map[string]any{}
	}
	if err := checkArguments(e.schema, args); err != nil {
		return ErrorResult(fmt.Sprintf("%s: the arguments do not fit: %v", name, err))
	}
	defer func() {
		if p := recover(); p != nil {
			res = ErrorResult(fmt.Sprintf("%s broke off with an internal error: %s", name, approval.Line(fmt.Sprint(p))))
		}
	}()
	if e.id.Builtin {
		res = e.tool.Execute(ctx, args)
	} else {
		res = r.session.guard(ctx, r.session.request(e.id, args, r.session.Cwd()), func(ctx context.Context, _ gate.Verdict) (*ToolResult, string) {
			out := e.tool.Execute(ctx, args)
			return orNothing(name, out), outcomeOf(out)
		})
	}
	return orNothing(name, res)
}

// Close ends what the tools have running. No tool runs afterwards.
func (r *Registry) Close() error {
	r.mu.Lock()
	r.done = true
	all := r.tools
	r.tools = map[string]entry{}
	r.mu.Unlock()
	var first error
	for _, e := range all {
		if c, ok := e.tool.(interface{ Close() error }); ok {
			if err := c.Close(); err != nil && first == nil {
				first = err
			}
		}
	}
	return first
}

func orNothing(name string, res *ToolResult) *ToolResult {
	if res == nil {
		return ErrorResult(name + " returned nothing")
	}
	return res
}

func outcomeOf(res *ToolResult) string {
	if res == nil || res.IsError {
		return "failed"
	}
	return "done"
}

func unknownTool(name string, names []string) string {
	msg := fmt.Sprintf("there is no tool %q", approval.Line(name))
	if near := nearest.Word(name, names); near != "" {
		return msg + fmt.Sprintf("; did you mean %q?", near)
	}
	return msg + "; there are " + strings.Join(names, ", ")
}
