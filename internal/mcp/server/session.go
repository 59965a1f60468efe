package server

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mayi/internal/assembly"
	"mayi/internal/mcp/caller"
	"mayi/internal/mcp/elicit"
	"mayi/internal/mcp/reload"
	"mayi/pkg/agent"
	"mayi/pkg/agent/scripted"
	"mayi/pkg/approval"
)

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
	go reload.Watch(s.ctx, app.Gate, app.Config, reload.Every, nil)
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
