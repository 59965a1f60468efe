package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mayi/internal/assembly"
	"mayi/internal/hook"
	"mayi/internal/mcp/server"
	"mayi/pkg/approval"
	"mayi/pkg/config"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
	"mayi/pkg/tools"
)

// patience bounds what must happen; it is never waited for when all is well.
const patience = 60 * time.Second

// place is a workspace with settings, and a host in it.
type place struct{ dir, space string }

func newPlace(t *testing.T) place {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := place{dir, dir + "/space"}
	if err := os.Mkdir(p.space, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.space+"/notes.txt", []byte("a note\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p place) open(settings string) func(permissions.Mode) (*assembly.App, error) {
	return func(mode permissions.Mode) (*assembly.App, error) {
		return assembly.Open(assembly.Options{Config: config.Options{
			Cwd: p.space, Workspace: p.space, Home: p.dir, User: "dev", UserFile: p.dir + "/settings.json", StateDir: p.dir + "/state",
			Override: []byte(settings), Mode: mode,
		}})
	}
}

func (p place) host(t *testing.T, settings string) *server.Host {
	t.Helper()
	h, err := server.New(server.Options{
		Open: p.open(settings), Env: os.Environ(), Version: "test",
		Approve: server.Prompt{Cwd: p.space, Within: time.Second, Open: func(hook.Place) (*hook.Door, error) {
			app, err := p.open(settings)("")
			if err != nil {
				return nil, err
			}
			return &hook.Door{Gate: app.Gate, Close: app.Close, Questions: app.Store.Questions()}, nil
		}}.Approve,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h
}

// transport is a connection to the host over two streams.
func transport(t *testing.T, h *server.Host) mcp.Transport {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = h.Run(context.Background(), inR, outW) // ends with the streams
	}()
	t.Cleanup(func() {
		inW.Close()
		outR.Close()
		<-done
	})
	return &mcp.IOTransport{Reader: outR, Writer: inW, MaxLineLength: -1}
}

func connect(t *testing.T, tr mcp.Transport, co *mcp.ClientOptions, agent map[string]any) *mcp.ClientSession {
	t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "a client", Version: "1"}, co)
	if agent != nil {
		c.AddSendingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
			return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
				if p, ok := req.GetParams().(*mcp.InitializeParams); ok {
					p.Meta = mcp.Meta{server.AgentKey: agent}
				}
				return next(ctx, method, req)
			}
		})
	}
	cs, err := c.Connect(context.Background(), tr, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cs.Close() })
	return cs
}

func call(t *testing.T, cs *mcp.ClientSession, name string, args map[string]any) (string, bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	out := ""
	for _, c := range r.Content {
		out += c.(*mcp.TextContent).Text
	}
	return out, !r.IsError
}

func TestTheToolsAreOffered(t *testing.T) {
	p := newPlace(t)
	cs := connect(t, transport(t, p.host(t, `{}`)), nil, nil)
	r, err := cs.ListTools(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range r.Tools {
		names = append(names, tool.Name)
	}
	if got := fmt.Sprint(names); got != "[approve edit exec find grep ls read request_permission tool_search web_fetch write]" {
		t.Error(got)
	}
	cs = connect(t, transport(t, p.host(t, `{"tools":{"exec":{"enabled":false}}}`)), nil, nil)
	if r, err = cs.ListTools(context.Background(), nil); err != nil || len(r.Tools) != 9 {
		t.Errorf("with exec off: %d tools, %v", len(r.Tools), err)
	}
}

// TestACallerIsRemote: its mode is that of the settings for remote callers.
func TestACallerIsRemote(t *testing.T) {
	for _, c := range []struct {
		name, settings string
		agent          map[string]any
		mode           string
		writes, runs   bool
	}{
		{"nothing said", `{"executionMode":"auto"}`, nil, "plan", false, false},
		{"the default", `{"remote_default_mode":"accept-edits"}`, nil, "accept-edits", true, false},
		{"asked for", `{"remote_max_mode":"auto"}`, map[string]any{"executionMode": "auto"}, "auto", true, true},
		{"above the ceiling", `{"remote_max_mode":"accept-edits"}`, map[string]any{"executionMode": "auto"}, "accept-edits", true, false},
		{"not asked for", `{"remote_max_mode":"auto","executionMode":"auto"}`, nil, "plan", false, false},
		{"skipping counts for nothing", `{"dangerouslySkipPermissions":true,"executionMode":"auto"}`,
			map[string]any{"dangerouslySkipPermissions": true, "ExecutionMode": "auto"}, "plan", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			cs := connect(t, transport(t, p.host(t, c.settings)), nil, c.agent)
			given, _ := cs.InitializeResult().Meta[server.SessionKey].(map[string]any)
			if given["executionMode"] != c.mode || !strings.Contains(cs.InitializeResult().Instructions, "The execution mode is "+c.mode) {
				t.Errorf("given %v", given)
			}
			if n := len(c.agent); n > 0 && c.agent["executionMode"] == nil && len(given["dropped"].([]any)) != n {
				t.Errorf("dropped %v", given["dropped"])
			}
			if text, ok := call(t, cs, "read", map[string]any{"file_path": "notes.txt"}); !ok || !strings.Contains(text, "a note") {
				t.Errorf("read: %s", text)
			}
			if text, ok := call(t, cs, "read", map[string]any{"file_path": "/etc/passwd"}); ok {
				t.Errorf("read outside: %s", text)
			}
			if text, ok := call(t, cs, "write", map[string]any{"file_path": "new.txt", "content": "x"}); ok != c.writes {
				t.Errorf("write: %s", text)
			}
			if text, _ := call(t, cs, "exec", map[string]any{"command": "touch ran.txt"}); exists(p.space+"/ran.txt") != c.runs {
				t.Errorf("exec: %s", text)
			}
		})
	}
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// TestThePersonIsAskedThroughTheClient: the form shows the command; the answer
// lets it run.
func TestThePersonIsAskedThroughTheClient(t *testing.T) {
	for _, c := range []struct {
		action, answer string
		runs           bool
	}{{"accept", "once", true}, {"accept", "session", true}, {"accept", "no", false}, {"decline", "", false}, {"cancel", "", false}} {
		p := newPlace(t)
		var mu sync.Mutex
		var shown []string
		cs := connect(t, transport(t, p.host(t, `{"remote_default_mode":"accept-edits"}`)), &mcp.ClientOptions{
			ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				mu.Lock()
				defer mu.Unlock()
				shown = append(shown, r.Params.Message)
				return &mcp.ElicitResult{Action: c.action, Content: map[string]any{"answer": c.answer}}, nil
			},
		}, nil)
		text, _ := call(t, cs, "exec", map[string]any{"command": "touch ran.txt"})
		if exists(p.space+"/ran.txt") != c.runs {
			t.Errorf("%s %s: %s", c.action, c.answer, text)
		}
		if len(shown) != 1 || !strings.Contains(shown[0], "touch ran.txt") {
			t.Errorf("shown: %q", shown)
		}
	}
}

// TestACancelledCallEndsWhatItRuns.
func TestACancelledCallEndsWhatItRuns(t *testing.T) {
	p := newPlace(t)
	cs := connect(t, transport(t, p.host(t, `{"remote_max_mode":"auto"}`)), nil, map[string]any{"executionMode": "auto"})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = cs.CallTool(ctx, &mcp.CallToolParams{Name: "exec", Arguments: map[string]any{"command": "echo $$ > pid; sleep 1000; echo x > late"}})
	}()
	pid := ""
	for end := time.Now().Add(patience); pid == ""; time.Sleep(5 * time.Millisecond) {
		raw, _ := os.ReadFile(p.space + "/pid") // not there yet
		if pid = strings.TrimSpace(string(raw)); time.Now().After(end) {
			t.Fatal("it did not begin")
		}
	}
	cancel()
	<-done
	for end := time.Now().Add(patience); exists("/proc/" + pid); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it goes on")
		}
	}
	if exists(p.space + "/late") {
		t.Error("it went on")
	}
	if text, ok := call(t, cs, "ls", nil); !ok {
		t.Errorf("the session is of no use afterwards: %s", text)
	}
}

// TestPermissionPrompts: Claude Code's tools, in its words.
func TestPermissionPrompts(t *testing.T) {
	p := newPlace(t)
	cs := connect(t, transport(t, p.host(t, `{"permissions":{"allow":["command(git status)"],"deny":["command(rm)","mcp(srv.bad)"]}}`)), nil, nil)
	for _, c := range []struct{ tool, input, behavior, says string }{
		{"Bash", `{"command":"git status","description":"x"}`, "allow", ""},
		{"Bash", `{"command":"git status && rm -rf x"}`, "deny", "command(rm)"},
		{"Bash", `{"command":"touch a"}`, "deny", "nobody answered"},
		{"Bash", `{"command":["git","status"]}`, "deny", "mayi"},
		{"Read", `{"file_path":"` + p.space + `/notes.txt"}`, "allow", ""},
		{"Read", `{"file_path":"/etc/shadow"}`, "deny", "outside"},
		{"Write", `{"file_path":"` + p.space + `/b","content":"1","n":9007199254740993}`, "allow", ""},
		{"mcp__srv__bad", `{}`, "deny", "mcp(srv.bad)"},
		{"NoSuchTool", `{}`, "deny", ""},
	} {
		var input json.RawMessage = []byte(c.input)
		text, ok := call(t, cs, "approve", map[string]any{"tool_name": c.tool, "input": input, "tool_use_id": "toolu_1"})
		var got struct {
			Behavior     string
			Message      string
			UpdatedInput json.RawMessage
		}
		if err := json.Unmarshal([]byte(text), &got); err != nil || !ok {
			t.Fatalf("%s: %s", c.tool, text)
		}
		if got.Behavior != c.behavior || !strings.Contains(got.Message, c.says) || c.behavior == "deny" && got.Message == "" {
			t.Errorf("%s %s: %s", c.tool, c.input, text)
		}
		if c.behavior == "allow" && string(got.UpdatedInput) != c.input {
			t.Errorf("%s: the input came back as %s", c.tool, got.UpdatedInput)
		}
	}
	for _, bad := range []map[string]any{{"tool_name": "Bash", "input": nil}, {"tool_name": "", "input": map[string]any{}}, {"tool_name": 1, "input": map[string]any{}}, {"input": map[string]any{}}} {
		if text, _ := call(t, cs, "approve", bad); !strings.Contains(text, `"behavior":"deny"`) {
			t.Errorf("%v: %s", bad, text)
		}
	}
}

// TestOverHTTP: each client has a session of its own, and all end with the host.
func TestOverHTTP(t *testing.T) {
	p := newPlace(t)
	h := p.host(t, `{"remote_max_mode":"auto"}`)
	s := httptest.NewServer(h.Handler())
	defer s.Close()
	one := connect(t, &mcp.StreamableClientTransport{Endpoint: s.URL, HTTPClient: http.DefaultClient}, nil, map[string]any{"executionMode": "auto"})
	two := connect(t, &mcp.StreamableClientTransport{Endpoint: s.URL, HTTPClient: http.DefaultClient}, nil, nil)
	if text, ok := call(t, one, "exec", map[string]any{"command": "echo hello"}); !ok || !strings.Contains(text, "hello") {
		t.Errorf("one: %s", text)
	}
	if text, ok := call(t, two, "exec", map[string]any{"command": "echo hello"}); ok {
		t.Errorf("two: %s", text)
	}
	h.Close()
}

// TestProgress: what a confined command prints is told while it runs, to a client
// that asked for it.
func TestProgress(t *testing.T) {
	p := newPlace(t)
	seen := make(chan string, 100)
	h, err := server.New(server.Options{
		Open: p.open(`{"remote_max_mode":"auto","remote_default_mode":"auto"}`), Env: os.Environ(),
		Confine: func(*assembly.App, approval.Asker) func(context.Context, gate.Verdict, tools.Confined) (int, error) {
			return func(_ context.Context, _ gate.Verdict, c tools.Confined) (int, error) {
				if _, err := io.WriteString(c.Out, "first\nthe \x1b[2Jsecond\nhalf"); err != nil {
					return 1, err
				}
				if got := <-seen; got != "the ⟨U+001B⟩[2Jsecond" {
					t.Errorf("told %q", got)
				}
				return 0, nil
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	cs := connect(t, transport(t, h), &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
		if r.Params.ProgressToken == "tok" {
			seen <- r.Params.Message
		}
	}}, nil)
	params := &mcp.CallToolParams{Name: "exec", Arguments: map[string]any{"command": "make"}}
	params.SetProgressToken("tok")
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r, err := cs.CallTool(ctx, params)
	if err != nil || r.IsError || !strings.Contains(r.Content[0].(*mcp.TextContent).Text, "half\n[exit code 0]") {
		t.Errorf("%+v, %v", r, err)
	}
}
