// Package serve offers mayi's own agent to an editor that speaks ACP. The editor
// is a remote caller: it gets the mode that the settings give to one, and can set
// none above their ceiling. What a person must decide is asked in the editor.
package serve

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"

	acp "github.com/coder/acp-go-sdk"

	"mayi/internal/assembly"
	"mayi/pkg/agent/model"
	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
	"mayi/pkg/tools"
)

// Confine runs a session's commands inside what was granted; see agent.Options.
type Confine = func(ctx context.Context, v gate.Verdict, c tools.Confined) (code int, err error)

// Options are what an [Agent] is made of. Open and Model are needed.
type Options struct {
	// Open puts the gate together for a folder, under the mode that a remote caller
	// gets who asks for requested ("" for none), with the grants of the session,
	// and says which mode it could get at most.
	Open func(cwd string, requested permissions.Mode, grants func(session string) approval.Grants) (app *assembly.App, ceiling permissions.Mode, err error)
	// Confine is how the commands of a gate run; nil runs them as they are.
	Confine func(app *assembly.App, asker approval.Asker) (Confine, error)
	// Queue reaches the person where the editor does not; nil: nobody.
	Queue func(app *assembly.App) approval.Asker
	Model model.Model
	// Env is the environment of the programs that are run, as "NAME=value".
	Env []string
	// Session is the name of the session whose answers count; "" is a new one for
	// each of the editor's.
	Session string
	// Version is mayi's own.
	Version string
	// Say is told what the operator should know; nil tells nobody.
	Say func(text string)
}

// mostSessions is how many sessions an editor may have open.
const mostSessions = 64

// Agent is mayi's own agent, for one editor.
type Agent struct {
	o    Options
	conn *acp.AgentSideConnection

	mu       sync.Mutex
	editor   string
	mute     bool
	gone     bool
	sessions map[acp.SessionId]*session
	turns    sync.WaitGroup
}

var _ acp.Agent = (*Agent)(nil)

// Run serves one editor over two streams until it is gone or ctx ends.
func Run(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	if o.Say == nil {
		o.Say = func(string) {}
	}
	a := &Agent{o: o, sessions: map[acp.SessionId]*session{}}
	ready := make(chan struct{})
	a.conn = acp.NewAgentSideConnection(a, out, waits{in, ready})
	a.conn.SetLogger(slog.New(slog.DiscardHandler))
	close(ready)
	select {
	case <-a.conn.Done():
	case <-ctx.Done():
	}
	a.close()
	return nil
}

// waits lets nothing be read before the agent is whole.
type waits struct {
	in    io.Reader
	ready chan struct{}
}

func (w waits) Read(p []byte) (int, error) {
	<-w.ready
	return w.in.Read(p)
}

// close ends all sessions, with what they have running.
func (a *Agent) close() {
	a.mu.Lock()
	a.gone = true
	all := a.sessions
	a.sessions = map[acp.SessionId]*session{}
	a.mu.Unlock()
	for _, s := range all {
		s.stop()
	}
	a.turns.Wait()
	for _, s := range all {
		s.close()
	}
}

// of is the session with this id.
func (a *Agent) of(id acp.SessionId) (*session, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.sessions[id]
	if s == nil {
		return nil, badParams("there is no session " + string(id))
	}
	return s, nil
}

func badParams(why string) error {
	return acp.NewInvalidParams(map[string]any{"error": why})
}

// Initialize implements acp.Agent.
func (a *Agent) Initialize(_ context.Context, p acp.InitializeRequest) (acp.InitializeResponse, error) {
	if p.ClientInfo != nil {
		a.mu.Lock()
		a.editor = p.ClientInfo.Name
		a.mu.Unlock()
	}
	return acp.InitializeResponse{
		ProtocolVersion: acp.ProtocolVersionNumber,
		AgentInfo:       &acp.Implementation{Name: "mayi", Version: a.o.Version},
		AgentCapabilities: acp.AgentCapabilities{
			PromptCapabilities:  acp.PromptCapabilities{EmbeddedContext: true},
			SessionCapabilities: acp.SessionCapabilities{Close: &acp.SessionCloseCapabilities{}},
		},
		AuthMethods: []acp.AuthMethod{},
	}, nil
}

// Authenticate implements acp.Agent: there is nothing to log in to.
func (a *Agent) Authenticate(context.Context, acp.AuthenticateRequest) (acp.AuthenticateResponse, error) {
	return acp.AuthenticateResponse{}, nil
}

// NewSession implements acp.Agent.
func (a *Agent) NewSession(_ context.Context, p acp.NewSessionRequest) (acp.NewSessionResponse, error) {
	a.mu.Lock()
	full := len(a.sessions) >= mostSessions || a.gone
	a.mu.Unlock()
	if full {
		return acp.NewSessionResponse{}, badParams("too many sessions are open; close one")
	}
	s, err := a.open(p.Cwd)
	if err != nil {
		return acp.NewSessionResponse{}, badParams(err.Error())
	}
	a.mu.Lock()
	closed := a.gone
	if !closed {
		a.sessions[s.id] = s
	}
	a.mu.Unlock()
	if closed {
		s.close()
		return acp.NewSessionResponse{}, errors.New("the connection is closed")
	}
	for _, text := range s.notices(len(p.McpServers)) {
		a.o.Say(text)
	}
	return acp.NewSessionResponse{SessionId: s.id, Modes: s.modes()}, nil
}

// CloseSession implements acp.Agent.
func (a *Agent) CloseSession(_ context.Context, p acp.CloseSessionRequest) (acp.CloseSessionResponse, error) {
	a.mu.Lock()
	s := a.sessions[p.SessionId]
	delete(a.sessions, p.SessionId)
	a.mu.Unlock()
	if s == nil {
		return acp.CloseSessionResponse{}, badParams("there is no session " + string(p.SessionId))
	}
	s.stop()
	s.close()
	return acp.CloseSessionResponse{}, nil
}

// Cancel implements acp.Agent.
func (a *Agent) Cancel(_ context.Context, p acp.CancelNotification) error {
	s, err := a.of(p.SessionId)
	if err == nil {
		s.stop()
	}
	return err
}

// SetSessionMode implements acp.Agent.
func (a *Agent) SetSessionMode(_ context.Context, p acp.SetSessionModeRequest) (acp.SetSessionModeResponse, error) {
	s, err := a.of(p.SessionId)
	if err != nil {
		return acp.SetSessionModeResponse{}, err
	}
	if err := s.enter(string(p.ModeId)); err != nil {
		return acp.SetSessionModeResponse{}, badParams(err.Error())
	}
	return acp.SetSessionModeResponse{}, nil
}

// SetSessionConfigOption implements acp.Agent: there are none.
func (a *Agent) SetSessionConfigOption(context.Context, acp.SetSessionConfigOptionRequest) (acp.SetSessionConfigOptionResponse, error) {
	return acp.SetSessionConfigOptionResponse{}, acp.NewMethodNotFound(acp.AgentMethodSessionSetConfigOption)
}

// ListSessions implements acp.Agent: sessions are not kept.
func (a *Agent) ListSessions(context.Context, acp.ListSessionsRequest) (acp.ListSessionsResponse, error) {
	return acp.ListSessionsResponse{}, acp.NewMethodNotFound(acp.AgentMethodSessionList)
}

// ResumeSession implements acp.Agent: sessions are not kept.
func (a *Agent) ResumeSession(context.Context, acp.ResumeSessionRequest) (acp.ResumeSessionResponse, error) {
	return acp.ResumeSessionResponse{}, acp.NewMethodNotFound(acp.AgentMethodSessionResume)
}
