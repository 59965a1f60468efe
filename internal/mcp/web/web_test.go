//lint:file-ignore SA1019 what older versions of the protocol have is passed on, too

package web_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestEveryWayThroughTheProxy: the SDK's client and server, over each pair of
// transports, make use of everything.
func TestEveryWayThroughTheProxy(t *testing.T) {
	for to, upstream := range upstreams(t) {
		for from, transport := range transports(t, upstream) {
			t.Run(from+" to "+to, func(t *testing.T) { everything(t, transport(t)) })
		}
	}
}

func everything(t *testing.T, tr mcp.Transport) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var mu sync.Mutex
	var steps []float64
	client := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "ann"}}, nil
		},
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Model: "m", Role: "assistant", Content: &mcp.TextContent{Text: "sampled"}}, nil
		},
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			mu.Lock()
			defer mu.Unlock()
			steps = append(steps, r.Params.Progress)
		},
	})
	client.AddRoots(&mcp.Root{URI: "file:///x", Name: "x"})
	cs, err := client.Connect(ctx, tr, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	defer cs.Close()
	call := func(name string, args map[string]any) string {
		t.Helper()
		p := &mcp.CallToolParams{Name: name, Arguments: args}
		if name == "steps" {
			p.SetProgressToken("steps")
		}
		r, err := cs.CallTool(ctx, p)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out := ""
		for _, c := range r.Content {
			out += c.(*mcp.TextContent).Text
		}
		return out
	}
	tools, err := cs.ListTools(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools.Tools {
		if tool.Name == "denied" {
			t.Error("the denied tool is listed")
		}
	}
	if got := call("echo", map[string]any{"text": "<é>"}); got != "<é>" {
		t.Errorf("echo: %s", got)
	}
	if got := call("denied", nil); !strings.Contains(got, "denied by mcp(srv.denied)") {
		t.Errorf("denied: %s", got)
	}
	if got := call("large", map[string]any{"size": 10 << 20}); len(got) != 10<<20 {
		t.Errorf("large: %d bytes", len(got))
	}
	if got := call("ask", nil); got != "ann sampled 1" {
		t.Errorf("ask: %s", got)
	}
	if got := call("steps", nil); got != "done" {
		t.Errorf("steps: %s", got)
	}
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		mu.Lock()
		got := fmt.Sprint(steps)
		mu.Unlock()
		if got == "[1 2 3]" {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("progress: %s", got)
		}
	}
	if r, err := cs.ReadResource(ctx, &mcp.ReadResourceParams{URI: "test://r"}); err != nil || r.Contents[0].Text != "a resource" {
		t.Errorf("resource: %v, %v", r, err)
	}
	if p, err := cs.GetPrompt(ctx, &mcp.GetPromptParams{Name: "p"}); err != nil || p.Description != "a prompt" {
		t.Errorf("prompt: %v, %v", p, err)
	}
	if err := cs.Ping(ctx, nil); err != nil {
		t.Errorf("ping: %v", err)
	}
	cancelled(t, cs)
	many(t, ctx, cs)
}

// cancelled checks that a call that is given up ends at the server.
func cancelled(t *testing.T, cs *mcp.ClientSession) {
	file := t.TempDir() + "/gone"
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	if _, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: "wait", Arguments: map[string]any{"text": file}}); err == nil {
		t.Error("a call that was given up was answered")
	}
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(file); err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatal("the server was not told that the call was cancelled")
		}
	}
}

// many makes a thousand calls at once.
func many(t *testing.T, ctx context.Context, cs *mcp.ClientSession) {
	var wg sync.WaitGroup
	for i := range 1000 {
		wg.Go(func() {
			want := fmt.Sprint("call ", i)
			r, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"text": want}})
			if err != nil {
				t.Errorf("%s: %v", want, err)
				return
			}
			if got := r.Content[0].(*mcp.TextContent).Text; got != want {
				t.Errorf("%s was answered with %s", want, got)
			}
		})
	}
	wg.Wait()
}
