package proxy_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mayi/internal/acp/facts"
	"mayi/internal/acp/proxy"
	"mayi/internal/acp/remote"
	"mayi/internal/assembly"
	"mayi/internal/mcp/frame"
	"mayi/pkg/config"
	"mayi/pkg/permissions"
	"mayi/pkg/store"
)

// patience bounds what must happen; it is never waited for when all is well.
const patience = 30 * time.Second

// place is a workspace with its settings, and both sides of a proxy before it.
type place struct {
	t             *testing.T
	dir, space    string
	editor, agent *side
	done          chan error
	said          *strings.Builder
	mu            *sync.Mutex
}

// side is what stands on one side of the proxy: lines in and out.
type side struct {
	t     *testing.T
	in    io.ReadCloser
	out   io.WriteCloser
	lines chan string
}

func start(t *testing.T, settings string) place {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := place{t: t, dir: dir, space: dir + "/space", done: make(chan error, 1), said: &strings.Builder{}, mu: &sync.Mutex{}}
	if err := os.Mkdir(p.space, 0o755); err != nil {
		t.Fatal(err)
	}
	editorConn, er, ew := pipe()
	agentConn, ar, aw := pipe()
	p.editor, p.agent = &side{t: t, in: er, out: ew}, &side{t: t, in: ar, out: aw}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		p.done <- proxy.Run(ctx, editorConn, agentConn, proxy.Options{
			Agent: facts.Agent{Name: "claude-code", Table: "claude-code"}, Session: "test", Caller: "acp claude-code", Cwd: p.space,
			Open: func(cwd string, requested permissions.Mode) (proxy.Place, error) {
				app, ceiling, err := remote.Open(func(mode permissions.Mode) (*assembly.App, error) {
					return assembly.Open(assembly.Options{Config: config.Options{
						Cwd: cwd, Workspace: p.space, Home: dir, User: "dev", Mode: mode,
						UserFile: dir + "/settings.json", StateDir: dir + "/state", Override: []byte(settings),
					}})
				}, "", requested)
				if err != nil {
					return proxy.Place{}, err
				}
				return proxy.Place{Gate: app.Gate, Ceiling: ceiling, Close: app.Close}, nil
			},
			Say: func(text string) {
				p.mu.Lock()
				defer p.mu.Unlock()
				p.said.WriteString(text + "\n")
			},
		})
	}()
	t.Cleanup(func() {
		cancel()
		ew.Close()
		aw.Close()
		er.Close()
		ar.Close()
		select {
		case <-p.done:
		case <-time.After(patience):
			t.Error("the proxy did not end")
		}
	})
	return p
}

// words is what the operator was told so far.
func (p place) words() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.said.String()
}

// records are the entries of the log.
func (p place) records() []store.Record {
	p.t.Helper()
	db := store.At(p.dir + "/state/mayi.db")
	defer db.Close()
	var out []store.Record
	for r, err := range db.Audit().Records(context.Background(), store.Query{}) {
		if err != nil {
			p.t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// pipe is a line connection in memory: one end as a frame.Conn, the other as two
// streams.
func pipe() (frame.Conn, io.ReadCloser, io.WriteCloser) {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	var once sync.Once
	end := func() error {
		once.Do(func() { inR.Close(); outW.Close() })
		return nil
	}
	return frame.NewLines(inR, outW, end), outR, inW
}

func (s *side) read() {
	s.lines = make(chan string, 4096)
	go func() {
		defer close(s.lines)
		for in := bufio.NewReaderSize(s.in, 1<<16); ; {
			line, err := in.ReadString('\n')
			if line != "" {
				s.lines <- strings.TrimSuffix(line, "\n")
			}
			if err != nil {
				return
			}
		}
	}()
}

func (s *side) say(line string) {
	s.t.Helper()
	if _, err := io.WriteString(s.out, line+"\n"); err != nil {
		s.t.Errorf("say %.100s: %v", line, err)
	}
}

// hear returns the next message.
func (s *side) hear() string {
	s.t.Helper()
	if s.lines == nil {
		s.read()
	}
	select {
	case line, ok := <-s.lines:
		if !ok {
			s.t.Fatal("the proxy hung up")
		}
		return line
	case <-time.After(patience):
		s.t.Fatal("nothing was heard")
	}
	return ""
}

// gets fails unless the next message is exactly this.
func (s *side) gets(want string) {
	s.t.Helper()
	if got := s.hear(); got != want {
		s.t.Errorf("heard\n%s\nwant\n%s", got, want)
	}
}

// hung fails unless the proxy hangs up without another word.
func (s *side) hung() {
	s.t.Helper()
	if s.lines == nil {
		s.read()
	}
	select {
	case line, ok := <-s.lines:
		if ok {
			s.t.Errorf("heard %s", line)
		}
	case <-time.After(patience):
		s.t.Error("the proxy did not hang up")
	}
}

// message is what the tests look at.
type message struct {
	ID     json.RawMessage
	Method string
	Params struct {
		SessionID string
		ModeID    string
		ToolCall  struct {
			Title   string
			Content []struct {
				Type    string
				Content struct{ Text string }
			}
		}
		Options []struct{ OptionID, Kind, Name string }
	}
	Result struct {
		Outcome   struct{ Outcome, OptionID string }
		SessionID string
		Modes     struct {
			CurrentModeID  string
			AvailableModes []struct{ ID string }
		}
	}
	Error struct {
		Code    int
		Message string
	}
}

// next is the next message, read.
func (s *side) next() message {
	s.t.Helper()
	line := s.hear()
	var m message
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		s.t.Fatalf("%s: %v", line, err)
	}
	return m
}

// open opens the session S in the workspace.
func (p place) open() {
	p.t.Helper()
	p.editor.say(`{"jsonrpc":"2.0","id":0,"method":"session/new","params":{"cwd":"` + p.space + `","mcpServers":[]}}`)
	p.agent.hear()
	p.agent.say(`{"jsonrpc":"2.0","id":0,"result":{"sessionId":"S"}}`)
	p.editor.gets(`{"jsonrpc":"2.0","id":0,"result":{"sessionId":"S"}}`)
}

const usual = `[{"optionId":"always","name":"Always","kind":"allow_always"},{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]`

// asks sends a request for permission.
func (p place) asks(id, call, options string) {
	p.t.Helper()
	p.agent.say(`{"jsonrpc":"2.0","id":` + id + `,"method":"session/request_permission","params":{"sessionId":"S","toolCall":` + call + `,"options":` + options + `}}`)
}

func run(id, command string) string {
	raw, _ := json.Marshal(command)
	return `{"toolCallId":"` + id + `","kind":"execute","title":"run","rawInput":{"command":` + string(raw) + `}}`
}

const everyday = `{"remote_default_mode":"accept-edits","tools":{"exec":{"allow_remote":true}},"permissions":{"allow":["command(ls)","command(touch)"],"deny":["command(rm)"]}}`

// word is what a request for permission was answered with.
func (m message) word() string {
	switch {
	case m.Error.Code != 0:
		return fmt.Sprintf("error %d", m.Error.Code)
	case m.Result.Outcome.Outcome == "selected":
		return m.Result.Outcome.OptionID
	}
	return m.Result.Outcome.Outcome
}
