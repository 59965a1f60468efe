// Package server offers mayi's own tools to MCP clients. Every call goes through
// the gate, as a remote caller's; what runs is confined as an agent's own
// commands are.
package server

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mayi/internal/assembly"
	"mayi/internal/mcp/caller"
	"mayi/internal/mcp/elicit"
	"mayi/pkg/agent"
	"mayi/pkg/agent/scripted"
	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
	"mayi/pkg/tools"
)

// Options are what a [Host] is made of. Open is needed.
type Options struct {
	// Open puts the gate together under an execution mode, "" for the settings'
	// own.
	Open func(mode permissions.Mode) (*assembly.App, error)
	// Harness is the mode that the operator asked for, "" for none.
	Harness permissions.Mode
	// Session is the name of the session whose answers count; "" is a new one for
	// each client.
	Session string
	// Env is the environment of the programs that are run, as "NAME=value".
	Env []string
	// Confine runs a session's commands inside what was granted; see
	// agent.Options.
	Confine func(app *assembly.App, asker approval.Asker) func(context.Context, gate.Verdict, tools.Confined) (int, error)
	// Queue reaches the person where the client cannot show a form; nil: nobody.
	Queue func(app *assembly.App) approval.Asker
	// Approve answers a client's permission prompt; nil offers no such tool.
	Approve func(ctx context.Context, a Approval) Answer
	// Version is mayi's own.
	Version string
}

// Host serves clients, each with a session of its own.
type Host struct {
	o      Options
	server *mcp.Server
	busy   busy

	mu       sync.Mutex
	sessions map[*mcp.ServerSession]*session
	closed   bool
	work     sync.WaitGroup
}

// idleAfter is how long a session over HTTP is kept that nobody uses.
const idleAfter = time.Hour

// maxRequest is how large a request may be, in bytes.
const maxRequest = 64 << 20

// versions are those in which a server can ask its client something while a call
// runs.
func versions() []string {
	return []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}
}

// New returns a host. The tools that it offers are those that the settings switch
// on.
func New(o Options) (*Host, error) {
	h := &Host{o: o, sessions: map[*mcp.ServerSession]*session{}}
	h.server = mcp.NewServer(&mcp.Implementation{Name: "mayi", Title: "mayi", Version: o.Version}, &mcp.ServerOptions{
		SupportedProtocolVersions: versions(),
		Capabilities:              &mcp.ServerCapabilities{Logging: &mcp.LoggingCapabilities{}, Tools: &mcp.ToolCapabilities{}},
	})
	h.server.AddReceivingMiddleware(h.greet, h.busy.count)
	// One session is opened to see what there is to offer.
	pattern, err := h.open(nil, nil)
	if err != nil {
		return nil, err
	}
	defer pattern.close()
	for _, t := range pattern.instance.Tools.Tools() {
		h.server.AddTool(&mcp.Tool{
			Name: t.Name(), Description: t.Description(), InputSchema: t.Parameters(), Annotations: annotations(t.Name()),
		}, h.handler(t.Name()))
	}
	if o.Approve != nil {
		h.addApprove()
	}
	return h, nil
}

// Run serves one client over two streams until it is gone. What it has asked
// before that is answered.
func (h *Host) Run(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	err := h.server.Run(ctx, &mcp.IOTransport{Reader: linger{in, &h.busy}, Writer: out, MaxLineLength: maxRequest})
	h.Close()
	return err
}

// Handler serves clients over streamable HTTP.
func (h *Host) Handler() http.Handler {
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return h.server }, &mcp.StreamableHTTPOptions{
		SessionTimeout: idleAfter, MaxRequestBodyBytes: maxRequest,
		DisableLocalhostProtection: true, // web.Guard does it, for other names as well
	})
}

// Close ends all sessions, with what they have running.
func (h *Host) Close() {
	h.mu.Lock()
	h.closed = true
	var all []*mcp.ServerSession
	for ss := range h.sessions {
		all = append(all, ss)
	}
	h.mu.Unlock()
	for _, ss := range all {
		_ = ss.Close()
	}
	h.work.Wait()
}

// session is what belongs to one client.
type session struct {
	app      *assembly.App
	instance *agent.Instance
	given    caller.Given
	name     string
	ctx      context.Context
	stop     context.CancelFunc
}

// open makes a session for the client ss, which sent the agent map; a nil client
// can be asked nothing.
func (h *Host) open(ss *mcp.ServerSession, sent map[string]any) (*session, error) {
	app, given, err := openFor(h.o.Open, h.o.Harness, sent)
	if err != nil {
		return nil, err
	}
	s := &session{app: app, given: given, name: h.o.Session}
	if s.name == "" {
		s.name = "mcp-" + approval.NewID()
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	asker := h.asker(app, ss)
	o := agent.Options{
		Settings: app.Settings, Gate: app.Gate, Session: s.name, Caller: "mcp", Remote: true,
		Cwd: app.Config.Cwd, Home: app.Config.Home, Env: h.o.Env, Asker: asker,
		Model: scripted.Model{}, // the client's model is the one that calls
	}
	if h.o.Confine != nil {
		o.Confine = printing(h.o.Confine(app, asker))
	}
	if s.instance, err = agent.New(o); err != nil {
		app.Close()
		return nil, err
	}
	return s, nil
}

func (h *Host) asker(app *assembly.App, ss *mcp.ServerSession) approval.Asker {
	var ways []approval.Asker
	if ss != nil {
		ways = append(ways, elicit.New(client{ss}))
	}
	if h.o.Queue != nil {
		ways = append(ways, h.o.Queue(app))
	}
	return approval.NewLimits(approval.First(ways...), approval.LimitOptions{})
}

func (s *session) close() {
	s.stop()
	_ = s.instance.Close()
	_ = s.app.Close()
}

// greet opens a session when a client introduces itself, and tells it what it
// was given.
func (h *Host) greet(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		in, ok := req.(*mcp.ServerRequest[*mcp.InitializeParams])
		if method != "initialize" || !ok {
			return next(ctx, method, req)
		}
		var sent map[string]any
		if in.Params != nil {
			sent, _ = in.Params.Meta[AgentKey].(map[string]any)
		}
		s, err := h.begin(in.Session, sent)
		if err != nil {
			return nil, fmt.Errorf("mayi: the session cannot be opened: %w", err)
		}
		res, err := next(ctx, method, req)
		if r, ok := res.(*mcp.InitializeResult); ok && err == nil {
			r.Instructions = instructions(s)
			if r.Meta == nil {
				r.Meta = mcp.Meta{}
			}
			r.Meta[SessionKey] = map[string]any{
				"executionMode": string(s.given.Mode), "unknownMode": s.given.UnknownMode, "dropped": append([]string{}, s.given.Dropped...),
			}
		}
		return res, err
	}
}

// The keys of _meta: an initialize may carry what a client would like to set,
// and its result says what it was given.
const (
	AgentKey   = "mayi/agent"
	SessionKey = "mayi/session"
)

func instructions(s *session) string {
	return "Every call is checked before it runs. " + s.given.Report() +
		" Where a result says \"Permission needed\", call request_permission with the path and the command that it names; only the person answers. " +
		"Once permission is given, make the same call again, unchanged. Where it is denied, say so and do not try another way to the same end."
}

// begin opens the client's session, in place of one that it had.
func (h *Host) begin(ss *mcp.ServerSession, sent map[string]any) (*session, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, fmt.Errorf("the server is closing")
	}
	if h.sessions[ss] != nil {
		return nil, fmt.Errorf("it is open already")
	}
	s, err := h.open(ss, sent)
	if err != nil {
		return nil, err
	}
	h.sessions[ss] = s
	h.work.Go(func() {
		_ = ss.Wait()
		h.mu.Lock()
		delete(h.sessions, ss)
		h.mu.Unlock()
		s.close()
	})
	return s, nil
}

// of is the session of a client; nil before it has introduced itself.
func (h *Host) of(ss *mcp.ServerSession) *session {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sessions[ss]
}
