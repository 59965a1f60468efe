package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"mayi/pkg/approval"
)

func TestRequestPermissionName(t *testing.T) {
	tool := NewRequestPermissionTool(NewPermissionCache())
	if tool.Name() != "request_permission" {
		t.Errorf("Name() = %q", tool.Name())
	}
	if tool.ConfigKey() != "exec.ask_permission" || tool.Category() != "permission" {
		t.Errorf("%q, %q", tool.Category(), tool.ConfigKey())
	}
	params := tool.Parameters()
	if fmt.Sprint(params["required"]) != "[path]" {
		t.Errorf("required: %v", params["required"])
	}
	for _, p := range []string{"path", "command"} {
		if _, ok := params["properties"].(map[string]any)[p]; !ok {
			t.Errorf("there is no parameter %s", p)
		}
	}
}

func TestRequestPermissionOnABareCache(t *testing.T) {
	ctx := t.Context()
	cache := NewPermissionCache()
	tool := NewRequestPermissionTool(cache)
	res := tool.Execute(ctx, map[string]any{"path": "/desktop", "command": "harmless, trust me"})
	if res == nil || !res.Pending || res.IsError {
		t.Fatalf("%+v", res)
	}
	wantText(t, "ForUser", res.ForUser, "/desktop", "once", "session", "no")
	wantText(t, "ForLLM", res.ForLLM, "/desktop")
	if strings.Contains(res.ForUser, "trust me") {
		t.Errorf("the model words the question: %q", res.ForUser)
	}
	if cache.Check("/desktop") != "" {
		t.Error("asking grants")
	}
	if res, err := tool.Answer(ctx, approval.Session); err != nil || res.IsError || cache.Check("/desktop/a") != "session" {
		t.Errorf("%+v, %v, %q", res, err, cache.Check("/desktop/a"))
	}
	if res := tool.Execute(ctx, map[string]any{"path": "/desktop"}); res.Pending {
		t.Errorf("asks although it is granted: %+v", res)
	}
	tool.Execute(ctx, map[string]any{"path": "/etc"})
	if _, err := tool.Answer(ctx, "perhaps"); err != nil || cache.Check("/etc") != "denied" {
		t.Errorf("%v, %q", err, cache.Check("/etc"))
	}
	if res := tool.Execute(ctx, map[string]any{"path": "/etc/passwd"}); res.Pending || !res.IsError {
		t.Errorf("asks again after the no: %+v", res)
	}
	for _, bad := range []string{"", "desktop", "/a/../etc", "/a\x00b"} {
		if res := tool.Execute(ctx, map[string]any{"path": bad}); res.Pending || !res.IsError {
			t.Errorf("%q: %+v", bad, res)
		}
	}
	if tool.Pending() {
		t.Error("a question is left open")
	}
}

// errorAsker is a person who cannot be reached.
type errorAsker struct{}

func (errorAsker) Ask(context.Context, approval.Question) (approval.Answer, error) {
	return approval.Answer{}, errors.New("the line is dead")
}

// silentAsker is a person who does not answer.
type silentAsker struct{}

func (silentAsker) Ask(context.Context, approval.Question) (approval.Answer, error) {
	return approval.Answer{Choice: approval.No, Note: "nobody answered within 50 s"}, nil
}

func TestRequestPermissionWithAnAsker(t *testing.T) {
	var asked []approval.Question
	choice := approval.Session
	b := newBench(t, func(_ *Options, so *SessionOptions) {
		so.Asker = askerFunc(func(q approval.Question) approval.Choice { asked = append(asked, q); return choice })
	})
	tool := NewRequestPermissionTool(b.cache, WithSession(b.session))
	command := "cat " + b.outside + "/x; echo 'the person has agreed'"
	do := func(path, command string) *ToolResult {
		return tool.Execute(t.Context(), map[string]any{"path": path, "command": command})
	}

	// A path that no refused call needs is no question.
	if res := do(b.outside, ""); !res.IsError || len(asked) != 0 {
		t.Fatalf("%+v", res)
	}
	// A command that was not refused yet is decided now.
	if res := do("/elsewhere", command); !res.IsError || len(asked) != 0 || !strings.Contains(res.ForLLM, b.outside+"/x") {
		t.Fatalf("a path that the command does not need: %+v", res)
	}
	if res := do(b.outside, "ls"); res.IsError || len(asked) != 0 || !strings.Contains(res.ForLLM, "allowed now") {
		t.Fatalf("a command that needs nothing: %+v", res)
	}
	b.gate.deny = "forbidden"
	if res := do(b.outside, "cat "+b.outside+"/forbidden"); !res.IsError || len(asked) != 0 {
		t.Fatalf("a command that is denied: %+v", res)
	}
	if res := do(b.outside+"/x", command); res.IsError || len(asked) != 1 {
		t.Fatalf("%+v", res)
	}
	if q := asked[0]; q.Command != command || len(q.Needs) != 1 || q.Needs[0].Path != b.outside+"/x" {
		t.Errorf("the question holds %+v", q)
	}
	if res := b.run(t, command); res.refused() || !strings.Contains(res.ForLLM, "agreed") {
		t.Errorf("after session: %+v", res)
	}

	// The refused call decides what is shown; the words only point at it.
	choice = approval.No
	b.run(t, "cat "+b.outside+"/y")
	b.run(t, "cat "+b.outside+"/z")
	if res := do(b.outside+"/y", ""); !res.IsError || len(asked) != 2 || asked[1].Command != "cat "+b.outside+"/y" {
		t.Errorf("%+v after %+v", res, asked)
	}
	for range 3 {
		if res := do(b.outside+"/y", "cat "+b.outside+"/y"); !res.IsError || len(asked) != 2 {
			t.Errorf("asked again: %+v", res)
		}
	}

	// Silence and failure are no "no": they can be asked again.
	for _, a := range []approval.Asker{errorAsker{}, silentAsker{}} {
		b.session.opt.Asker = a
		res := do(b.outside+"/z", "")
		if !res.IsError || !strings.Contains(res.ForLLM, "not given") {
			t.Errorf("%T: %+v", a, res)
		}
	}
}

func TestRefusalsAreBounded(t *testing.T) {
	b := newBench(t)
	for i := range maxRefusals + 10 {
		b.run(t, fmt.Sprintf("cat /outside/%d", i))
	}
	b.run(t, "cat /outside/70")
	if n := len(b.session.refusals.list); n != maxRefusals {
		t.Errorf("%d refusals are kept", n)
	}
	tool := NewRequestPermissionTool(b.cache, WithSession(b.session))
	if res := tool.Execute(t.Context(), map[string]any{"path": "/outside/0"}); !res.IsError {
		t.Errorf("%+v", res)
	}
	if res := tool.Execute(t.Context(), map[string]any{"path": "/outside/70"}); !res.Pending {
		t.Errorf("%+v", res)
	}
}

// TestSessionsDoNotShareAnswers: what one session was granted is nothing to
// another.
func TestSessionsDoNotShareAnswers(t *testing.T) {
	a, b := newBench(t), newBench(t)
	a.run(t, "ls /outside")
	tool := NewRequestPermissionTool(a.cache, WithSession(a.session))
	tool.Execute(t.Context(), map[string]any{"path": "/outside"})
	if _, err := tool.Answer(t.Context(), approval.Session); err != nil {
		t.Fatal(err)
	}
	if res := a.run(t, "ls /outside"); res.refused() {
		t.Errorf("%+v", res)
	}
	if res := b.run(t, "ls /outside"); !res.refused() {
		t.Errorf("%+v", res)
	}
	other := NewRequestPermissionTool(b.cache, WithSession(b.session))
	if _, err := other.Answer(t.Context(), approval.Session); err == nil {
		t.Error("another session's question was answered")
	}
}
