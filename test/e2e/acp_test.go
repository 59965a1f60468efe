package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"mayi/test/e2e/model"
)

// editor is one that is built with the SDK. Its person refuses what is asked.
type editor struct {
	acp.Client
	t *testing.T

	mu    sync.Mutex
	asked []string
}

func (e *editor) RequestPermission(_ context.Context, p acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
	raw, err := json.Marshal(p)
	if err != nil {
		return acp.RequestPermissionResponse{}, err
	}
	e.t.Logf("asked: %s", tail(raw))
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asked = append(e.asked, string(raw))
	i := slices.IndexFunc(p.Options, func(o acp.PermissionOption) bool { return o.Kind == acp.PermissionOptionKindRejectOnce })
	if i < 0 {
		return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeCancelled()}, nil
	}
	return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeSelected(p.Options[i].OptionId)}, nil
}

// questions is how many were asked since the last call.
func (e *editor) questions() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := len(e.asked)
	e.asked = nil
	return n
}

func (e *editor) SessionUpdate(context.Context, acp.SessionNotification) error { return nil }

func (e *editor) HandleExtensionMethod(context.Context, string, json.RawMessage) (any, error) {
	return map[string]any{}, nil
}

func (e *editor) ReadTextFile(_ context.Context, p acp.ReadTextFileRequest) (acp.ReadTextFileResponse, error) {
	raw, err := os.ReadFile(p.Path)
	if errors.Is(err, os.ErrNotExist) {
		err = &acp.RequestError{Code: -32002, Message: "Resource not found: " + p.Path}
	}
	return acp.ReadTextFileResponse{Content: string(raw)}, err
}

func (e *editor) WriteTextFile(_ context.Context, p acp.WriteTextFileRequest) (acp.WriteTextFileResponse, error) {
	return acp.WriteTextFileResponse{}, os.WriteFile(p.Path, []byte(p.Content), 0o644)
}

// edits starts the agent behind the proxy, with an editor before it, and opens a
// session in the workspace. turn lets the agent make one call, in a session of
// its own, and returns how many questions the person was asked about it.
func (w *world) edits(args ...string) (conn *acp.ClientSideConnection, s acp.NewSessionResponse, turn func(c model.Call) int) {
	t := w.t
	cmd := w.command("mayi", append([]string{"acp", "--", w.path("bin/" + w.agent.program)}, args...)...)
	if w.agent.env != nil {
		cmd.Env = append(cmd.Env, w.agent.env(w)...)
	}
	together(cmd)
	log, err := os.Create(w.path("agent.log"))
	must(t, err)
	cmd.Stderr = log
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() {
		in.Close()
		stop := time.AfterFunc(limit, func() { _ = cmd.Process.Kill() })
		defer stop.Stop()
		err := cmd.Wait()
		said, _ := os.ReadFile(log.Name())
		log.Close()
		t.Logf("%v: %s", err, tail(said))
		if remains(cmd) {
			t.Error("the proxy left something running")
		}
	})
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(cancel)
	e := &editor{t: t}
	conn = acp.NewClientSideConnection(e, in, out)
	conn.SetLogger(slog.New(slog.DiscardHandler))
	_, err = conn.Initialize(ctx, acp.InitializeRequest{ProtocolVersion: acp.ProtocolVersionNumber, ClientCapabilities: acp.ClientCapabilities{
		// With it Gemini CLI takes a file that is not there for an error.
		Fs: acp.FileSystemCapabilities{ReadTextFile: w.agent != gemini, WriteTextFile: w.agent != gemini},
	}})
	must(t, err)
	s, err = conn.NewSession(ctx, acp.NewSessionRequest{Cwd: w.ws, McpServers: []acp.McpServer{}})
	must(t, err)
	return conn, s, func(c model.Call) int {
		t.Helper()
		// The model counts the results in its history, which begins anew.
		fresh, err := conn.NewSession(ctx, acp.NewSessionRequest{Cwd: w.ws, McpServers: []acp.McpServer{}})
		must(t, err)
		w.model.Play([]model.Call{c})
		e.questions()
		r, err := conn.Prompt(ctx, acp.PromptRequest{SessionId: fresh.SessionId, Prompt: []acp.ContentBlock{acp.TextBlock(prompt)}})
		t.Logf("%s %v: %s, %v; %q", c.Tool, c.Args, r.StopReason, err, w.model.Results())
		return e.questions()
	}
}

// TestEditor: an editor speaks to the real agents through the proxy. What a rule
// allows runs without a question, what one denies does not run, files that the
// agent asks the editor for are decided, and modes above the ceiling do not exist.
func TestEditor(t *testing.T) {
	started := map[string][]string{
		"gemini": {"--experimental-acp", "-m", "gemini-2.5-flash"}, "qwen": {"--acp"}, "opencode": {"acp"},
	}
	driveOnly(t, []*agent{gemini, qwen, opencode}, func(t *testing.T, w *world) {
		a := w.agent
		if a == opencode {
			// It asks where its settings say so.
			name := "home/.config/opencode/opencode.json"
			w.write(name, strings.Replace(w.read(name), `"*": "allow"`, `"*": "ask"`, 1))
		}
		w.policy(`{"remote_default_mode":"accept-edits","tools":{"exec":{"allow_remote":true}},
			"permissions":{"allow":["command(touch)"],"deny":["command(rm)","write(denied.txt)"]}}`)
		conn, s, turn := w.edits(started[a.name]...)
		raw, err := json.Marshal(s)
		must(t, err)
		if strings.Contains(string(raw), `"yolo"`) {
			t.Errorf("a mode above the ceiling is offered: %s", raw)
		}
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		_, err = conn.SetSessionMode(ctx, acp.SetSessionModeRequest{SessionId: s.SessionId, ModeId: "yolo"})
		if err == nil || !strings.Contains(err.Error(), "above the ceiling") {
			t.Errorf("a mode above the ceiling was set: %v", err)
		}

		// Gemini CLI tells no command: a person has to look, and refuses here.
		tells := a != gemini
		if n := turn(a.shell("touch made")); tells != (n == 0) || tells != w.has("ws/made") {
			t.Errorf("an allowed command: %d questions, done %v", n, w.has("ws/made"))
		}
		if n := turn(a.shell("rm -f notes.txt")); tells && n != 0 || !w.has("ws/notes.txt") {
			t.Errorf("a denied command: %d questions", n)
		}
		if n := turn(a.write(w.path("ws/new.txt"), "new\n")); n != 0 || w.read("ws/new.txt") != "new\n" {
			t.Errorf("a file in the workspace: %d questions, %q", n, w.read("ws/new.txt"))
		}
		if n := turn(a.write(w.path("ws/denied.txt"), "denied\n")); n != 0 || w.has("ws/denied.txt") {
			t.Errorf("a denied file: %d questions, done %v", n, w.has("ws/denied.txt"))
		}
	})
}
