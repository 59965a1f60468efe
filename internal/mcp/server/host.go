// Package server offers mayi's own tools to MCP clients. Every call goes through
// the gate, as a remote caller's; what runs is confined as an agent's own
// commands are.
package server

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mayi/internal/assembly"
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
		//lint:ignore SA1019 the versions of the protocol that are spoken here have it
		Capabilities: &mcp.ServerCapabilities{Logging: &mcp.LoggingCapabilities{}, Tools: &mcp.ToolCapabilities{}},
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
	turns := &inTurn{WriteCloser: out}
	err := h.server.Run(ctx, &mcp.IOTransport{Reader: newLines(linger{in, &h.busy}, turns), Writer: turns, MaxLineLength: -1})
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
