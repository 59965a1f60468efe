package tools

import (
	"context"
	"strings"
	"testing"

	"mayi/pkg/permissions"
)

// testTool is a tool that is not mayi's own.
type testTool struct {
	name   string
	params map[string]any
	run    func(map[string]any) *ToolResult
	closed bool
}

func (t *testTool) Name() string               { return t.name }
func (t *testTool) Description() string        { return "a tool for tests" }
func (t *testTool) Parameters() map[string]any { return t.params }
func (t *testTool) Close() error               { t.closed = true; return nil }
func (t *testTool) Execute(_ context.Context, args map[string]any) *ToolResult {
	return t.run(args)
}

func TestRegistry(t *testing.T) {
	b := newBench(t)
	r := NewRegistry(b.session)
	ran := 0
	count := func(map[string]any) *ToolResult { ran++; return textResult("ran") }
	panics := &testTool{name: "panics", run: func(map[string]any) *ToolResult { panic("oh\x1b[2J no") }}
	for _, tool := range []Tool{panics, &testTool{name: "write", run: count}, &testTool{name: "nothing", run: func(map[string]any) *ToolResult { return nil }}} {
		if err := r.Register(tool); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.RegisterForeign("srv", &testTool{name: "far", run: count}); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []Tool{
		&testTool{name: "write"}, &testTool{}, &testTool{name: "x", params: map[string]any{"type": 3}}, &testTool{name: "y", params: map[string]any{"f": func() {}}},
	} {
		if err := r.Register(bad); err == nil {
			t.Errorf("registered %q", bad.Name())
		}
	}
	if err := r.RegisterForeign("", &testTool{name: "z"}); err == nil {
		t.Error("registered a foreign tool without a server")
	}

	res := r.Execute(t.Context(), "panics", nil)
	if !res.IsError || !strings.Contains(res.ForLLM, "oh⟨U+001B⟩[2J no") {
		t.Errorf("%+v", res)
	}
	if res := r.Execute(t.Context(), "nothing", nil); !res.IsError {
		t.Errorf("%+v", res)
	}
	// A tool that merely has a built-in tool's name is not one.
	r.Execute(t.Context(), "write", nil)
	r.Execute(t.Context(), "far", nil)
	got := b.gate.begun[len(b.gate.begun)-2:]
	if id := got[0].Request.Tool; id != (permissions.Tool{Name: "write"}) {
		t.Errorf("the gate sees %+v", id)
	}
	if id := got[1].Request.Tool; id != (permissions.Tool{Name: "far", Server: "srv"}) {
		t.Errorf("the gate sees %+v", id)
	}
	b.gate.deny = "far"
	if res := r.Execute(t.Context(), "far", nil); !res.IsError || ran != 2 {
		t.Errorf("a denied tool ran: %+v", res)
	}
	if err := r.Close(); err != nil || !panics.closed {
		t.Errorf("close: %v", err)
	}
	if res := r.Execute(t.Context(), "write", nil); !res.IsError || ran != 2 {
		t.Error("a closed registry runs tools")
	}
}

// TestEveryBuiltinAsksTheGate: without a gate nothing runs, however it is
// called.
func TestEveryBuiltinAsksTheGate(t *testing.T) {
	s := NewSession(SessionOptions{Cwd: t.TempDir()})
	r := NewRegistry(s)
	web, err := NewWebFetch(WebOptions{Session: s})
	if err != nil {
		t.Fatal(err)
	}
	exec, err := NewExecTool(Options{Session: s, Roots: []string{s.Cwd()}, AskPermission: true})
	if err != nil {
		t.Fatal(err)
	}
	all := append(FileTools(s), web, exec, NewToolSearch(r))
	args := map[string]any{"file_path": "f", "content": "x", "old_string": "a", "new_string": "b", "pattern": "x", "url": "http://example.com", "command": "true", "query": "x"}
	for _, tool := range all {
		if res := tool.Execute(t.Context(), args); !res.IsError || !strings.Contains(res.ForLLM, "gate") {
			t.Errorf("%s: %+v", tool.Name(), res)
		}
		if err := r.Register(tool); err != nil {
			t.Error(err)
		}
		p, ok := tool.(Prompted)
		if !ok || p.PromptMetadata() != (PromptMetadata{ToolPromptLayerCapability, ToolPromptSlotTooling, ToolPromptSourceRegistry}) {
			t.Errorf("%s does not say where it is described", tool.Name())
		}
		if d, ok := tool.(Documented); !ok || d.Category() == "" {
			t.Errorf("%s has no category", tool.Name())
		}
	}
}
