package proxy_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	acp "github.com/coder/acp-go-sdk"
)

// editor is the SDK's side of an editor with a person who chooses one kind of
// option, and who has a file system.
type editor struct {
	kind acp.PermissionOptionKind

	mu      sync.Mutex
	asked   []acp.RequestPermissionRequest
	updates []acp.SessionNotification
	ran     []string
}

func (e *editor) ReadTextFile(_ context.Context, p acp.ReadTextFileRequest) (acp.ReadTextFileResponse, error) {
	raw, err := os.ReadFile(p.Path)
	return acp.ReadTextFileResponse{Content: string(raw)}, err
}

func (e *editor) WriteTextFile(_ context.Context, p acp.WriteTextFileRequest) (acp.WriteTextFileResponse, error) {
	return acp.WriteTextFileResponse{}, os.WriteFile(p.Path, []byte(p.Content), 0o600)
}

func (e *editor) RequestPermission(_ context.Context, p acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asked = append(e.asked, p)
	for _, o := range p.Options {
		if o.Kind == e.kind {
			return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeSelected(o.OptionId)}, nil
		}
	}
	return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeCancelled()}, nil
}

func (e *editor) SessionUpdate(_ context.Context, n acp.SessionNotification) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.updates = append(e.updates, n)
	return nil
}

func (e *editor) CreateTerminal(_ context.Context, p acp.CreateTerminalRequest) (acp.CreateTerminalResponse, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ran = append(e.ran, p.Command)
	return acp.CreateTerminalResponse{TerminalId: "t1"}, nil
}

func (e *editor) KillTerminal(context.Context, acp.KillTerminalRequest) (acp.KillTerminalResponse, error) {
	return acp.KillTerminalResponse{}, nil
}

func (e *editor) TerminalOutput(context.Context, acp.TerminalOutputRequest) (acp.TerminalOutputResponse, error) {
	return acp.TerminalOutputResponse{Output: "done"}, nil
}

func (e *editor) ReleaseTerminal(context.Context, acp.ReleaseTerminalRequest) (acp.ReleaseTerminalResponse, error) {
	return acp.ReleaseTerminalResponse{}, nil
}

func (e *editor) WaitForTerminalExit(context.Context, acp.WaitForTerminalExitRequest) (acp.WaitForTerminalExitResponse, error) {
	return acp.WaitForTerminalExitResponse{}, nil
}

func (e *editor) HandleExtensionMethod(_ context.Context, method string, params json.RawMessage) (any, error) {
	return map[string]any{"method": method, "params": params}, nil
}

// agent is the SDK's side of an agent whose turn is do.
type agent struct {
	conn *acp.AgentSideConnection
	do   func(ctx context.Context, c *acp.AgentSideConnection, session acp.SessionId) string
	mode acp.SessionModeId
}

func (a *agent) Authenticate(context.Context, acp.AuthenticateRequest) (acp.AuthenticateResponse, error) {
	return acp.AuthenticateResponse{}, nil
}

func (a *agent) Initialize(context.Context, acp.InitializeRequest) (acp.InitializeResponse, error) {
	return acp.InitializeResponse{ProtocolVersion: acp.ProtocolVersionNumber}, nil
}

func (a *agent) Cancel(context.Context, acp.CancelNotification) error { return nil }

func (a *agent) CloseSession(context.Context, acp.CloseSessionRequest) (acp.CloseSessionResponse, error) {
	return acp.CloseSessionResponse{}, nil
}

func (a *agent) ListSessions(context.Context, acp.ListSessionsRequest) (acp.ListSessionsResponse, error) {
	return acp.ListSessionsResponse{}, nil
}

func (a *agent) NewSession(context.Context, acp.NewSessionRequest) (acp.NewSessionResponse, error) {
	return acp.NewSessionResponse{SessionId: "sdk", Modes: &acp.SessionModeState{CurrentModeId: "bypassPermissions", AvailableModes: []acp.SessionMode{
		{Id: "bypassPermissions", Name: "All"}, {Id: "acceptEdits", Name: "Edits"}, {Id: "plan", Name: "Plan"},
	}}}, nil
}

func (a *agent) Prompt(ctx context.Context, p acp.PromptRequest) (acp.PromptResponse, error) {
	text := a.do(ctx, a.conn, p.SessionId)
	err := a.conn.SessionUpdate(ctx, acp.SessionNotification{SessionId: p.SessionId, Update: acp.UpdateAgentMessageText(text)})
	return acp.PromptResponse{StopReason: acp.StopReasonEndTurn}, err
}

func (a *agent) ResumeSession(context.Context, acp.ResumeSessionRequest) (acp.ResumeSessionResponse, error) {
	return acp.ResumeSessionResponse{}, nil
}

func (a *agent) SetSessionConfigOption(context.Context, acp.SetSessionConfigOptionRequest) (acp.SetSessionConfigOptionResponse, error) {
	return acp.SetSessionConfigOptionResponse{}, nil
}

func (a *agent) SetSessionMode(_ context.Context, p acp.SetSessionModeRequest) (acp.SetSessionModeResponse, error) {
	a.mode = p.ModeId
	return acp.SetSessionModeResponse{}, nil
}

// TestTheSDKsPeers: an editor and an agent that are built with the SDK speak
// through the proxy as if to one another.
func TestTheSDKsPeers(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	p := start(t, everyday)
	person := &editor{kind: acp.PermissionOptionKindAllowOnce}
	a := &agent{}
	offered := []acp.PermissionOption{
		{OptionId: "a", Name: "Always", Kind: acp.PermissionOptionKindAllowAlways},
		{OptionId: "o", Name: "Once", Kind: acp.PermissionOptionKindAllowOnce},
		{OptionId: "n", Name: "No", Kind: acp.PermissionOptionKindRejectOnce},
	}
	a.do = func(ctx context.Context, c *acp.AgentSideConnection, session acp.SessionId) string {
		var out []string
		for i, command := range []string{"ls", "rm x", "git push"} {
			id := acp.ToolCallId(fmt.Sprint("c", i))
			if err := c.SessionUpdate(ctx, acp.SessionNotification{SessionId: session, Update: acp.StartToolCall(id, command,
				acp.WithStartKind(acp.ToolKindExecute), acp.WithStartRawInput(map[string]any{"command": command}))}); err != nil {
				return err.Error()
			}
			r, err := c.RequestPermission(ctx, acp.RequestPermissionRequest{SessionId: session, Options: offered, ToolCall: acp.ToolCallUpdate{ToolCallId: id}})
			switch {
			case err != nil:
				out = append(out, err.Error())
			case r.Outcome.Selected != nil:
				out = append(out, string(r.Outcome.Selected.OptionId))
			default:
				out = append(out, "cancelled")
			}
		}
		_, err := c.WriteTextFile(ctx, acp.WriteTextFileRequest{SessionId: session, Path: p.space + "/a", Content: "text"})
		out = append(out, fmt.Sprint(err == nil))
		r, err := c.ReadTextFile(ctx, acp.ReadTextFileRequest{SessionId: session, Path: p.space + "/a"})
		out = append(out, r.Content, fmt.Sprint(err == nil))
		_, err = c.ReadTextFile(ctx, acp.ReadTextFileRequest{SessionId: session, Path: "/etc/passwd"})
		out = append(out, fmt.Sprint(err != nil))
		term, err := c.CreateTerminal(ctx, acp.CreateTerminalRequest{SessionId: session, Command: "make"})
		out = append(out, term.TerminalId, fmt.Sprint(err == nil))
		_, err = c.CreateTerminal(ctx, acp.CreateTerminalRequest{SessionId: session, Command: "rm", Args: []string{"x"}})
		out = append(out, fmt.Sprint(err != nil))
		raw, err := c.CallExtension(ctx, "_own/thing", map[string]any{"a": 1})
		out = append(out, fmt.Sprint(strings.Contains(string(raw), "_own/thing") && err == nil))
		return strings.Join(out, " ")
	}
	a.conn = acp.NewAgentSideConnection(a, p.agent.out, p.agent.in)
	conn := acp.NewClientSideConnection(person, p.editor.out, p.editor.in)
	if _, err := conn.Initialize(ctx, acp.InitializeRequest{ProtocolVersion: acp.ProtocolVersionNumber, ClientInfo: &acp.Implementation{Name: "an SDK", Version: "1"}}); err != nil {
		t.Fatal(err)
	}
	s, err := conn.NewSession(ctx, acp.NewSessionRequest{Cwd: p.space, McpServers: []acp.McpServer{}})
	if err != nil {
		t.Fatal(err)
	}
	if s.Modes == nil || s.Modes.CurrentModeId != "acceptEdits" || len(s.Modes.AvailableModes) != 2 || a.mode != "acceptEdits" {
		t.Errorf("%+v; the agent is in %s", s.Modes, a.mode)
	}
	if _, err := conn.SetSessionMode(ctx, acp.SetSessionModeRequest{SessionId: s.SessionId, ModeId: "bypassPermissions"}); err == nil || !strings.Contains(err.Error(), "above the ceiling") {
		t.Errorf("a mode above the ceiling: %v", err)
	}
	if _, err := conn.Prompt(ctx, acp.PromptRequest{SessionId: s.SessionId, Prompt: []acp.ContentBlock{acp.TextBlock("go")}}); err != nil {
		t.Fatal(err)
	}
	person.mu.Lock()
	defer person.mu.Unlock()
	last := person.updates[len(person.updates)-1].Update.AgentMessageChunk
	if last == nil || last.Content.Text.Text != "o n o true text true true t1 true true true" {
		t.Errorf("%+v", last)
	}
	if len(person.asked) != 2 || len(person.updates) != 4 || fmt.Sprint(person.ran) != "[make]" {
		t.Errorf("%d questions, %d updates, ran %v", len(person.asked), len(person.updates), person.ran)
	}
}
