package main

import (
	"context"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	acp "github.com/coder/acp-go-sdk"
)

// editor is one that is built with the SDK, whose user allows once.
type editor struct {
	acp.Client

	mu    sync.Mutex
	asked []string
	text  strings.Builder
}

func (e *editor) RequestPermission(_ context.Context, p acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asked = append(e.asked, *p.ToolCall.Title)
	return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeSelected("once")}, nil
}

func (e *editor) SessionUpdate(_ context.Context, n acp.SessionNotification) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if u := n.Update.ToolCallUpdate; u != nil {
		e.text.WriteString(string(*u.Status) + ": " + u.Content[0].Content.Content.Text.Text + "\n")
	}
	return nil
}

// TestAnEditorThroughBothDoors: an editor speaks through the proxy to the agent
// that mayi itself serves, each a process of its own.
func TestAnEditorThroughBothDoors(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"/home/config/mayi", "/project"} {
		if err := os.MkdirAll(dir+d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	settings := `{"remote_default_mode":"accept-edits","tools":{"exec":{"allow_remote":true}},"sandbox":"off"}`
	if err := os.WriteFile(dir+"/home/config/mayi/settings.json", []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("mayi", "acp", "--", "mayi", "chat", "--acp", "--provider", "scripted")
	cmd.Dir = dir + "/project"
	cmd.Env = []string{
		"HOME=" + dir + "/home", "XDG_CONFIG_HOME=" + dir + "/home/config", "XDG_STATE_HOME=" + dir + "/home/state",
		"USER=dev", "PATH=" + os.Getenv("PATH"),
	}
	var said strings.Builder
	cmd.Stderr = &said
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	e := &editor{}
	conn := acp.NewClientSideConnection(e, in, out)
	conn.SetLogger(slog.New(slog.DiscardHandler))
	if _, err := conn.Initialize(ctx, acp.InitializeRequest{ProtocolVersion: acp.ProtocolVersionNumber}); err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	s, err := conn.NewSession(ctx, acp.NewSessionRequest{Cwd: dir + "/project", McpServers: []acp.McpServer{}})
	if err != nil || s.Modes == nil || len(s.Modes.AvailableModes) != 2 {
		t.Fatalf("%+v, %v", s, err)
	}
	for _, line := range []string{"write a.txt hello", "exec cat a.txt", "read /etc/hostname"} {
		if _, err := conn.Prompt(ctx, acp.PromptRequest{SessionId: s.SessionId, Prompt: []acp.ContentBlock{acp.TextBlock(line)}}); err != nil {
			t.Fatal(err)
		}
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, said.String())
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	text := e.text.String()
	if len(e.asked) == 0 || !strings.Contains(strings.Join(e.asked, " "), "cat a.txt") || !strings.Contains(text, "hello") || !strings.Contains(text, "failed: ") {
		t.Errorf("asked %q\n%s\n%s", e.asked, text, said.String())
	}
	if got, err := os.ReadFile(dir + "/project/a.txt"); err != nil || strings.TrimSpace(string(got)) != "hello" {
		t.Errorf("%q, %v", got, err)
	}
}
