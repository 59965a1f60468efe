package rpc

import (
	"encoding/json"
	"path/filepath"
	"sync"

	"mayi/internal/assembly"
	"mayi/internal/mcp/caller"
	"mayi/internal/mcp/frame"
	"mayi/pkg/approval"
	"mayi/pkg/permissions"
)

// session is one conversation of the client's, with answers of its own.
type session struct {
	name    string
	app     *assembly.App
	asker   approval.Asker
	sandbox string

	mu   sync.Mutex
	exec Executor
	busy sync.WaitGroup
}

// mostSessions is how many sessions a client may have open.
const mostSessions = 64

type opened struct {
	Session   string         `json:"session"`
	Mode      string         `json:"mode"`
	Requested any            `json:"requested,omitempty"`
	Unknown   string         `json:"unknownMode,omitempty"`
	Dropped   []string       `json:"dropped"`
	Agent     map[string]any `json:"agent"`
	Workspace []string       `json:"workspace"`
	Cwd       string         `json:"cwd"`
	Sandbox   string         `json:"sandbox"`
	// Problems are what is wrong with the settings; while there are some, nothing
	// that would run is allowed.
	Problems []string `json:"problems"`
}

// open makes a session. The client may send an agent's configuration; what a
// remote caller may not set is left out and named.
func (s *Server) open(params json.RawMessage) (any, error) {
	var in struct {
		Agent json.RawMessage `json:"agent"`
		Cwd   string          `json:"cwd"`
	}
	if err := decode(params, &in); err != nil {
		return nil, err
	}
	if in.Cwd != "" && !filepath.IsAbs(in.Cwd) {
		return nil, badParams("the cwd %q is not an absolute path", in.Cwd)
	}
	agent, err := frame.Object(in.Agent)
	if err != nil {
		return nil, badParams("the agent cannot be read: %v", err)
	}
	app, given, err := s.limited(in.Cwd, agent)
	if err != nil {
		return nil, badParams("the session cannot be opened: %v", err)
	}
	one := &session{name: "rpc-" + approval.NewID(), app: app}
	if one.sandbox, err = s.o.Sandbox(app); err == nil {
		err = s.add(one)
	}
	if err != nil {
		app.Close()
		return nil, err
	}
	if s.o.Queue != nil {
		one.asker = approval.NewLimits(s.o.Queue(app), approval.LimitOptions{})
	}
	out := opened{
		Session: one.name, Mode: string(given.Mode), Requested: agent["executionMode"], Unknown: given.UnknownMode,
		Dropped: append([]string{}, given.Dropped...), Agent: given.Agent,
		Workspace: append([]string{}, app.Settings.Policy().Workspace...), Cwd: app.Config.Cwd, Sandbox: one.sandbox, Problems: []string{},
	}
	for _, p := range app.Settings.Problems {
		out.Problems = append(out.Problems, p.Error())
	}
	return out, nil
}

// limited opens the gate under the mode that a remote caller gets.
func (s *Server) limited(cwd string, agent map[string]any) (*assembly.App, caller.Given, error) {
	app, err := s.o.Open("", cwd)
	if err != nil {
		return nil, caller.Given{}, err
	}
	given := caller.Limit(app.Settings.Policy(), s.o.Harness, agent)
	if given.Mode == app.Settings.ExecutionMode {
		return app, given, nil
	}
	_ = app.Close()
	app, err = s.o.Open(given.Mode, cwd)
	return app, given, err
}

func (s *Server) add(one *session) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.sessions) >= mostSessions {
		return badParams("%d sessions are open already; close one", mostSessions)
	}
	s.sessions[one.name] = one
	return nil
}

// use is the session of that name, which stays open until done is called.
func (s *Server) use(name string) (one *session, done func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one = s.sessions[name]; one == nil {
		return nil, nil, badParams("there is no session %q; session.open makes one", name)
	}
	one.busy.Add(1)
	return one, one.busy.Done, nil
}

// end forgets a session, once its calls have ended, with what it remembers.
func (s *Server) end(params json.RawMessage) (any, error) {
	var in struct {
		Session string `json:"session"`
	}
	if err := decode(params, &in); err != nil {
		return nil, err
	}
	s.mu.Lock()
	one := s.sessions[in.Session]
	delete(s.sessions, in.Session)
	s.mu.Unlock()
	if one == nil {
		return nil, badParams("there is no session %q", in.Session)
	}
	return map[string]any{}, one.close()
}

func (s *Server) closeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.sessions {
		_ = one.close()
	}
	clear(s.sessions)
}

func (o *session) close() error {
	o.busy.Wait()
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.exec != nil {
		_ = o.exec.Close()
	}
	return o.app.Close()
}

// initialize says who answers, and what can be called.
func (s *Server) initialize(params json.RawMessage) (any, error) {
	var in struct {
		Client map[string]any `json:"client"`
	}
	if err := decode(params, &in); err != nil {
		return nil, err
	}
	return map[string]any{
		"name": "mayi", "version": s.o.Version, "protocol": 1,
		"modes":   []permissions.Mode{permissions.Plan, permissions.AcceptEdits, permissions.Auto},
		"methods": []string{"initialize", "session.open", "session.close", "evaluate", "ask", "execute", "cancel"},
	}, nil
}
