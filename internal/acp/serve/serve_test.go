package serve_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"mayi/internal/acp/remote"
	"mayi/internal/acp/serve"
	"mayi/internal/assembly"
	"mayi/pkg/agent/model"
	"mayi/pkg/agent/scripted"
	"mayi/pkg/approval"
	"mayi/pkg/config"
	"mayi/pkg/permissions"
)

const patience = 30 * time.Second

// person sits in front of an editor that is built with the SDK.
type person struct {
	// choose picks an option; nil cancels.
	choose func(ctx context.Context, p acp.RequestPermissionRequest) (acp.PermissionOptionId, bool)

	mu      sync.Mutex
	shown   strings.Builder
	updates []acp.SessionUpdate
}

func (p *person) RequestPermission(ctx context.Context, r acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
	p.mu.Lock()
	p.shown.WriteString(*r.ToolCall.Title + "\n")
	for _, c := range r.ToolCall.Content {
		p.shown.WriteString(c.Content.Content.Text.Text)
	}
	p.mu.Unlock()
	if p.choose != nil {
		if id, ok := p.choose(ctx, r); ok {
			return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeSelected(id)}, nil
		}
	}
	return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeCancelled()}, nil
}

func (p *person) SessionUpdate(_ context.Context, n acp.SessionNotification) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.updates = append(p.updates, n.Update)
	if call := n.Update.ToolCall; call != nil && strings.HasPrefix(string(call.ToolCallId), "mayi-") {
		p.shown.WriteString(call.Content[0].Content.Content.Text.Text)
	}
	return nil
}

// seen is what the person was shown of mayi's questions.
func (p *person) seen() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.shown.String()
}

// story is what came of a turn, in short.
func (p *person) story() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var b strings.Builder
	for _, u := range p.updates {
		switch {
		case u.ToolCall != nil:
			fmt.Fprintf(&b, "[%s %s %s]", u.ToolCall.Kind, u.ToolCall.Title, u.ToolCall.Status)
		case u.ToolCallUpdate != nil:
			fmt.Fprintf(&b, "[%s: %s]", *u.ToolCallUpdate.Status, u.ToolCallUpdate.Content[0].Content.Content.Text.Text)
		case u.AgentMessageChunk != nil:
			b.WriteString(u.AgentMessageChunk.Content.Text.Text)
		case u.AgentThoughtChunk != nil:
			b.WriteString("(" + u.AgentThoughtChunk.Content.Text.Text + ")")
		}
	}
	p.updates = nil
	return b.String()
}

func (p *person) ReadTextFile(context.Context, acp.ReadTextFileRequest) (acp.ReadTextFileResponse, error) {
	return acp.ReadTextFileResponse{}, fmt.Errorf("nobody should ask for this")
}

func (p *person) WriteTextFile(context.Context, acp.WriteTextFileRequest) (acp.WriteTextFileResponse, error) {
	return acp.WriteTextFileResponse{}, fmt.Errorf("nobody should ask for this")
}

func (p *person) CreateTerminal(context.Context, acp.CreateTerminalRequest) (acp.CreateTerminalResponse, error) {
	return acp.CreateTerminalResponse{}, fmt.Errorf("nobody should ask for this")
}

func (p *person) KillTerminal(context.Context, acp.KillTerminalRequest) (acp.KillTerminalResponse, error) {
	return acp.KillTerminalResponse{}, nil
}

func (p *person) TerminalOutput(context.Context, acp.TerminalOutputRequest) (acp.TerminalOutputResponse, error) {
	return acp.TerminalOutputResponse{}, nil
}

func (p *person) ReleaseTerminal(context.Context, acp.ReleaseTerminalRequest) (acp.ReleaseTerminalResponse, error) {
	return acp.ReleaseTerminalResponse{}, nil
}

func (p *person) WaitForTerminalExit(context.Context, acp.WaitForTerminalExitRequest) (acp.WaitForTerminalExitResponse, error) {
	return acp.WaitForTerminalExitResponse{}, nil
}

// served is mayi's agent with an editor before it.
type served struct {
	t      *testing.T
	dir    string
	conn   *acp.ClientSideConnection
	id     acp.SessionId
	modes  string
	hangup func()
}

func start(t *testing.T, settings string, who *person, m model.Model) *served {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &served{t: t, dir: dir + "/space"}
	if err := os.Mkdir(s.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- serve.Run(context.Background(), inR, outW, serve.Options{
			Open: func(cwd string, requested permissions.Mode, grants func(string) approval.Grants) (*assembly.App, permissions.Mode, error) {
				return remote.Open(func(mode permissions.Mode) (*assembly.App, error) {
					return assembly.Open(assembly.Options{Grants: grants, Config: config.Options{
						Cwd: cwd, Workspace: s.dir, Home: dir, User: "dev", Mode: mode,
						UserFile: dir + "/settings.json", StateDir: dir + "/state", Override: []byte(settings),
					}})
				}, "", requested)
			},
			Model: m, Env: os.Environ(), Version: "test",
		})
	}()
	s.hangup = sync.OnceFunc(func() { inW.Close(); outR.Close() })
	t.Cleanup(func() {
		s.hangup()
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(patience):
			t.Error("the agent did not end")
		}
	})
	s.conn = acp.NewClientSideConnection(who, inW, outR)
	s.conn.SetLogger(slog.New(slog.DiscardHandler))
	init, err := s.conn.Initialize(s.ctx(), acp.InitializeRequest{ProtocolVersion: acp.ProtocolVersionNumber, ClientInfo: &acp.Implementation{Name: "a test", Version: "1"}})
	if err != nil || init.AgentInfo.Name != "mayi" {
		t.Fatalf("%+v, %v", init, err)
	}
	session, err := s.conn.NewSession(s.ctx(), acp.NewSessionRequest{Cwd: s.dir, McpServers: []acp.McpServer{}})
	if err != nil {
		t.Fatal(err)
	}
	s.id, s.modes = session.SessionId, string(session.Modes.CurrentModeId)+":"
	for _, one := range session.Modes.AvailableModes {
		s.modes += " " + string(one.Id)
	}
	return s
}

func (s *served) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	s.t.Cleanup(cancel)
	return ctx
}

func (s *served) turn(line string) acp.StopReason {
	s.t.Helper()
	r, err := s.conn.Prompt(s.ctx(), acp.PromptRequest{SessionId: s.id, Prompt: []acp.ContentBlock{acp.TextBlock(line)}})
	if err != nil {
		s.t.Fatalf("%s: %v", line, err)
	}
	return r.StopReason
}

const everyday = `{"remote_default_mode":"accept-edits","tools":{"exec":{"allow_remote":true}},"permissions":{"allow":["command(ls)"],"deny":["command(rm)"]}}`

// TestATurn: tool calls are shown as they run, what a person must decide is asked
// in the editor, and the policy holds.
func TestATurn(t *testing.T) {
	option := acp.PermissionOptionId("once")
	who := &person{choose: func(context.Context, acp.RequestPermissionRequest) (acp.PermissionOptionId, bool) {
		return option, true
	}}
	s := start(t, everyday, who, scripted.Model{})
	for _, c := range []struct {
		line   string
		option acp.PermissionOptionId
		want   []string
		not    string
	}{
		{"write a.txt hello", "", []string{"[edit write a.txt in_progress]", "[completed: "}, "failed"},
		{"exec ls", "", []string{"[execute exec ls in_progress]", "a.txt"}, "failed"},
		{"exec rm a.txt", "once", []string{"[execute exec rm a.txt in_progress]", "[failed: "}, "mayi: The agent"},
		{"exec cat a.txt", "once", []string{"[execute exec cat a.txt in_progress]", "[completed: hello"}, "failed"},
		{"exec cat ./a.txt", "no", []string{"[failed: "}, "hello"},
		{"read /etc/hostname", "once", []string{"[read read /etc/hostname in_progress]", "[failed: "}, ""},
	} {
		option = c.option
		if stop := s.turn(c.line); stop != acp.StopReasonEndTurn {
			t.Errorf("%s: %s", c.line, stop)
		}
		story := who.story()
		for _, want := range c.want {
			if !strings.Contains(story, want) {
				t.Errorf("%s: not shown: %s in\n%s", c.line, want, story)
			}
		}
		if c.not != "" && strings.Contains(story, c.not) {
			t.Errorf("%s: shown: %s in\n%s", c.line, c.not, story)
		}
	}
	if seen := who.seen(); !strings.Contains(seen, "mayi: The agent wants to run: cat a.txt") || strings.Contains(seen, "rm a.txt") {
		t.Errorf("the person was asked\n%s", seen)
	}
}

// TestModes: what the editor may set, and that the gate follows.
func TestModes(t *testing.T) {
	for settings, want := range map[string]string{
		`{}`:                         "plan: plan",
		`{"remote_max_mode":"auto"}`: "plan: plan accept-edits auto",
		`{"maxExecutionMode":"plan","remote_default_mode":"auto"}`: "plan: plan",
		`{"permissons":1,"remote_max_mode":"auto"}`:                "plan: plan",
	} {
		if s := start(t, settings, &person{}, scripted.Model{}); !strings.HasPrefix(s.modes+" ", want+" ") {
			t.Errorf("%s: %s, want %s", settings, s.modes, want)
		}
	}
	who := &person{}
	s := start(t, `{"remote_max_mode":"accept-edits"}`, who, scripted.Model{})
	set := func(mode acp.SessionModeId) error {
		_, err := s.conn.SetSessionMode(s.ctx(), acp.SetSessionModeRequest{SessionId: s.id, ModeId: mode})
		return err
	}
	writes := func(want bool) {
		t.Helper()
		s.turn("write b.txt hello")
		if story := who.story(); strings.Contains(story, "[completed: ") != want {
			t.Error(story)
		}
	}
	writes(false)
	for _, mode := range []acp.SessionModeId{"auto", "AUTO", "bypassPermissions", ""} {
		if err := set(mode); err == nil {
			t.Errorf("the mode %q was set", mode)
		}
	}
	writes(false)
	if err := set("accept-edits"); err != nil {
		t.Error(err)
	}
	writes(true)
	if err := set("plan"); err != nil {
		t.Error(err)
	}
	writes(false)
}

// TestCancel: a turn that is cancelled ends as that, with its question.
func TestCancel(t *testing.T) {
	asked := make(chan struct{}, 1)
	who := &person{choose: func(ctx context.Context, _ acp.RequestPermissionRequest) (acp.PermissionOptionId, bool) {
		asked <- struct{}{}
		<-ctx.Done()
		return "", false
	}}
	s := start(t, everyday, who, scripted.Model{})
	stop := make(chan acp.StopReason, 1)
	go func() { stop <- s.turn("exec cat x") }()
	select {
	case <-asked:
	case <-time.After(patience):
		t.Fatal("nothing was asked")
	}
	if err := s.conn.Cancel(s.ctx(), acp.CancelNotification{SessionId: s.id}); err != nil {
		t.Fatal(err)
	}
	if got := <-stop; got != acp.StopReasonCancelled {
		t.Errorf("the turn ended as %s", got)
	}
}

// TestTheEditorGoes while a question is open: nothing runs, and the agent ends.
func TestTheEditorGoes(t *testing.T) {
	asked := make(chan struct{}, 1)
	who := &person{choose: func(ctx context.Context, _ acp.RequestPermissionRequest) (acp.PermissionOptionId, bool) {
		asked <- struct{}{}
		<-ctx.Done()
		return "once", true
	}}
	s := start(t, everyday, who, scripted.Model{})
	go func() {
		_, _ = s.conn.Prompt(s.ctx(), acp.PromptRequest{SessionId: s.id, Prompt: []acp.ContentBlock{acp.TextBlock("exec cp /etc/hostname gone")}})
	}()
	select {
	case <-asked:
	case <-time.After(patience):
		t.Fatal("nothing was asked")
	}
	s.hangup()
	select {
	case <-s.conn.Done():
	case <-time.After(patience):
		t.Fatal("the connection did not end")
	}
	if _, err := os.Stat(s.dir + "/gone"); err == nil {
		t.Error("it ran")
	}
}

// TestWhatDoesNotMakeSense is an error that says so.
func TestWhatDoesNotMakeSense(t *testing.T) {
	s := start(t, `{}`, &person{}, scripted.Model{})
	for _, cwd := range []string{"relative", s.dir + "/missing", "/etc/hostname"} {
		if _, err := s.conn.NewSession(s.ctx(), acp.NewSessionRequest{Cwd: cwd, McpServers: []acp.McpServer{}}); err == nil {
			t.Errorf("a session in %s", cwd)
		}
	}
	if _, err := s.conn.Prompt(s.ctx(), acp.PromptRequest{SessionId: "none", Prompt: []acp.ContentBlock{acp.TextBlock("x")}}); err == nil || !strings.Contains(err.Error(), "there is no session") {
		t.Error(err)
	}
	if _, err := s.conn.Prompt(s.ctx(), acp.PromptRequest{SessionId: s.id, Prompt: []acp.ContentBlock{acp.TextBlock(" ")}}); err == nil {
		t.Error("an empty prompt")
	}
	if _, err := s.conn.CloseSession(s.ctx(), acp.CloseSessionRequest{SessionId: s.id}); err != nil {
		t.Error(err)
	}
	if _, err := s.conn.Prompt(s.ctx(), acp.PromptRequest{SessionId: s.id, Prompt: []acp.ContentBlock{acp.TextBlock("help")}}); err == nil {
		t.Error("a prompt in a closed session")
	}
}
