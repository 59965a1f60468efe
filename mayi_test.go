package mayi_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mayi"
)

func open(t *testing.T, change func(*mayi.Options)) *mayi.Gate {
	t.Helper()
	o, done := place()
	t.Cleanup(done)
	if change != nil {
		change(&o)
	}
	g, err := mayi.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	return g
}

// TestOnceSessionNoOverTheLibrary is the manual test of the exec tool over the
// library: once is one run, session stops the questions, no stays no, and
// another session knows nothing of it.
func TestOnceSessionNoOverTheLibrary(t *testing.T) {
	ctx := context.Background()
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "a"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	o, done := place()
	defer done()
	var answers []mayi.Choice
	asked := 0
	o.Ask = func(_ context.Context, q mayi.Question) (mayi.Answer, error) {
		asked++
		if !strings.Contains(q.Command, outside) {
			t.Errorf("the question shows %q", q.Command)
		}
		a := answers[0]
		answers = answers[1:]
		return mayi.Answer{Choice: a, By: "test"}, nil
	}
	g, err := mayi.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	run := func(g *mayi.Gate, answer ...mayi.Choice) (string, error) {
		t.Helper()
		answers = answer
		before := asked
		var out bytes.Buffer
		_, err := g.Run(ctx, "ls "+outside, &out, &out)
		if got := asked - before; got != len(answer) {
			t.Fatalf("asked %d times, want %d", got, len(answer))
		}
		return out.String(), err
	}
	for range 2 {
		if out, err := run(g, "once"); err != nil || out != "a\n" {
			t.Fatalf("%q, %v", out, err)
		}
	}
	if out, err := run(g, "session"); err != nil || out != "a\n" {
		t.Fatalf("%q, %v", out, err)
	}
	if out, err := run(g); err != nil || out != "a\n" {
		t.Fatalf("after session: %q, %v", out, err)
	}
	other, err := mayi.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	for _, answer := range [][]mayi.Choice{{"no"}, {}} {
		if out, err := run(other, answer...); !errors.Is(err, mayi.ErrRefused) || out != "" {
			t.Fatalf("after no: %q, %v", out, err)
		}
	}
}

// TestRequiredWithoutASandboxRefusesCommands: files are the gate's own affair,
// commands are not run where nothing confines them.
func TestRequiredWithoutASandboxRefusesCommands(t *testing.T) {
	g := open(t, func(o *mayi.Options) {
		o.Settings, o.Helper = `{"executionMode":"auto","sandbox":"required"}`, mayi.Helper{}
	})
	ctx := context.Background()
	var out bytes.Buffer
	if exit, err := g.Run(ctx, "echo hello", &out, &out); !errors.Is(err, mayi.ErrRefused) || exit != -1 || out.Len() > 0 || !strings.Contains(err.Error(), "mayi.Main") {
		t.Errorf("exit %d, %q, %v", exit, out.String(), err)
	}
	if _, err := g.BeforeTool(ctx, mayi.Command("echo hello")); !errors.Is(err, mayi.ErrRefused) {
		t.Errorf("a command that the agent runs itself: %v", err)
	}
	end, err := g.BeforeTool(ctx, mayi.Call{Tool: "write", Input: map[string]any{"file_path": "a", "content": ""}})
	if err != nil {
		t.Fatal(err)
	}
	end("done")
}

// TestAToolOfTheAgentsOwnIsForeign: only mayi's own names are its own tools.
func TestAToolOfTheAgentsOwnIsForeign(t *testing.T) {
	g := open(t, nil)
	ctx := context.Background()
	for _, c := range []struct {
		call mayi.Call
		want string
	}{
		{mayi.Call{Tool: "write", Input: map[string]any{"file_path": "a"}}, "allow"},
		{mayi.Call{Tool: "write", Server: "srv", Input: map[string]any{"file_path": "a"}}, "ask"},
		{mayi.Call{Tool: "deploy", Input: map[string]any{"file_path": "a"}}, "ask"},
		{mayi.Call{Tool: "write", Remote: true, Input: map[string]any{"file_path": "a"}}, "deny"},
	} {
		if got := g.Decide(ctx, c.call).Verdict.String(); got != c.want {
			t.Errorf("%+v: %s, want %s", c.call, got, c.want)
		}
	}
}

// TestAnErrorWhileAskingRefuses: whatever an embedding program's Ask does.
func TestAnErrorWhileAskingRefuses(t *testing.T) {
	for name, ask := range map[string]func(context.Context, mayi.Question) (mayi.Answer, error){
		"error": func(context.Context, mayi.Question) (mayi.Answer, error) {
			return mayi.Answer{Choice: "session", By: "x"}, errors.New("broken")
		},
		"panic":   func(context.Context, mayi.Question) (mayi.Answer, error) { panic("broken") },
		"nothing": func(context.Context, mayi.Question) (mayi.Answer, error) { return mayi.Answer{}, nil },
		"no name": func(context.Context, mayi.Question) (mayi.Answer, error) { return mayi.Answer{Choice: "once"}, nil },
	} {
		g := open(t, func(o *mayi.Options) { o.Ask = ask })
		if _, err := g.BeforeTool(context.Background(), mayi.Command("touch a")); !errors.Is(err, mayi.ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
