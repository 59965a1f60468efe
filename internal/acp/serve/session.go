package serve

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	acp "github.com/coder/acp-go-sdk"

	"mayi/internal/acp/ask"
	"mayi/internal/assembly"
	"mayi/pkg/agent"
	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
	"mayi/pkg/tools"
)

// session is one of the editor's, with an agent of its own.
type session struct {
	id       acp.SessionId
	owner    *Agent
	cwd      string
	caches   *agent.Caches
	instance *agent.Instance
	asker    approval.Asker
	ceiling  permissions.Mode

	mu sync.Mutex
	// app decides now; all are those that were opened.
	app     *assembly.App
	all     []*assembly.App
	confine Confine
	mode    permissions.Mode
	cancel  context.CancelCauseFunc
	closed  bool
}

// errBusy says that a turn is under way.
var errBusy = errors.New("a turn of this session is under way; cancel it, or wait for its end")

// open makes a session in the folder.
func (a *Agent) open(cwd string) (*session, error) {
	if !filepath.IsAbs(cwd) {
		return nil, fmt.Errorf("the cwd %q is not an absolute path", cwd)
	}
	if st, err := os.Stat(cwd); err != nil || !st.IsDir() {
		return nil, fmt.Errorf("the cwd %q is no folder that can be looked at", cwd)
	}
	s := &session{id: acp.SessionId("mayi-" + approval.NewID()), owner: a, cwd: cwd, caches: agent.NewCaches()}
	side := editorSide{a, s.id}
	s.asker = approval.NewLimits(approval.First(ask.New(side), approval.AskerFunc(s.queue)), approval.LimitOptions{})
	if err := s.use(""); err != nil {
		return nil, err
	}
	name := a.o.Session
	if name == "" {
		name = "acp-" + string(s.id)
	}
	options := agent.Options{
		Settings: s.app.Settings, Gate: keeper{s}, Caches: s.caches, Session: name, Caller: "chat --acp", Remote: true,
		Cwd: s.app.Config.Cwd, Home: s.app.Config.Home, Env: a.o.Env,
		Asker: s.asker, Model: a.o.Model, Renderer: &renderer{conn: a.conn, session: s.id, cwd: s.app.Config.Cwd},
	}
	if s.confine != nil {
		options.Confine = s.confined
	}
	var err error
	if s.instance, err = agent.New(options); err != nil {
		s.release()
		return nil, err
	}
	return s, nil
}

// use makes the session decide under what a remote caller gets who asks for this
// mode.
func (s *session) use(requested permissions.Mode) error {
	app, ceiling, err := s.owner.o.Open(s.cwd, requested, s.caches.Grants)
	if err != nil {
		return err
	}
	var confine Confine
	if s.owner.o.Confine != nil {
		if confine, err = s.owner.o.Confine(app, s.asker); err != nil {
			return errors.Join(err, app.Close())
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, app)
	s.app, s.ceiling, s.confine, s.mode = app, ceiling, confine, app.Settings.ExecutionMode
	return nil
}

// enter sets the mode that the person asks for.
func (s *session) enter(mode string) error {
	m := permissions.Mode(mode)
	if !m.Valid() {
		return fmt.Errorf("the mode %q is not known; it is plan, accept-edits or auto", approval.Line(mode))
	}
	s.mu.Lock()
	ceiling, closed, many := s.ceiling, s.closed, len(s.all) >= 256
	s.mu.Unlock()
	switch {
	case closed:
		return errors.New("the session has ended")
	case many:
		return errors.New("the mode was changed too often in this session; open another one")
	case permissions.RankOf(m) > permissions.RankOf(ceiling):
		return fmt.Errorf("the mode %s is above the ceiling, which is %s; remote_max_mode in mayi's settings raises it", m, ceiling)
	}
	return s.use(m)
}

// modes are those that the person may choose among.
func (s *session) modes() *acp.SessionModeState {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := &acp.SessionModeState{CurrentModeId: acp.SessionModeId(s.mode)}
	for _, m := range []struct {
		mode       permissions.Mode
		name, text string
	}{
		{permissions.Plan, "Plan", "Only looks"},
		{permissions.AcceptEdits, "Accept edits", "Edits inside the workspace, and commands that the rules allow; the rest is asked"},
		{permissions.Auto, "Auto", "Whatever no rule denies or asks about"},
	} {
		if permissions.RankOf(m.mode) <= permissions.RankOf(s.ceiling) {
			out.AvailableModes = append(out.AvailableModes, acp.SessionMode{Id: acp.SessionModeId(m.mode), Name: m.name, Description: &m.text})
		}
	}
	return out
}

// notices are what the operator should know of the session.
func (s *session) notices(servers int) []string {
	out := append([]string{}, s.instance.Notices...)
	for _, p := range s.app.Settings.Problems {
		out = append(out, "settings: "+p.Error())
	}
	if servers > 0 {
		out = append(out, "the editor's MCP servers are not used: mayi's own agent has its own tools only")
	}
	return out
}

// stop ends the turn that is under way.
func (s *session) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel != nil {
		s.cancel(agent.ErrInterrupted)
	}
}

// close ends the session, with what it has running.
func (s *session) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	if err := s.instance.Close(); err != nil {
		s.owner.o.Say(err.Error())
	}
	s.release()
}

func (s *session) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, app := range s.all {
		_ = app.Close()
	}
	s.all = nil
}

// queue asks by the queue of the session's gate.
func (s *session) queue(ctx context.Context, q approval.Question) (approval.Answer, error) {
	s.mu.Lock()
	app := s.app
	s.mu.Unlock()
	if s.owner.o.Queue == nil {
		return approval.Denied("nobody can be asked here"), approval.ErrUnavailable
	}
	next := s.owner.o.Queue(app)
	if next == nil {
		return approval.Denied("nobody can be asked here"), approval.ErrUnavailable
	}
	return next.Ask(ctx, q)
}

// confined runs a command as the session's gate has it.
func (s *session) confined(ctx context.Context, v gate.Verdict, c tools.Confined) (int, error) {
	s.mu.Lock()
	run := s.confine
	s.mu.Unlock()
	if run == nil {
		return -1, errors.New("commands cannot be confined in this mode")
	}
	return run(ctx, v, c)
}

// keeper is the session's gate, whatever its mode.
type keeper struct{ s *session }

var _ tools.Gatekeeper = keeper{}

func (k keeper) gate() *gate.Gate {
	k.s.mu.Lock()
	defer k.s.mu.Unlock()
	return k.s.app.Gate
}

// Decide implements tools.Gatekeeper.
func (k keeper) Decide(ctx context.Context, r gate.Request) gate.Verdict {
	return k.gate().Decide(ctx, r)
}

// Ask implements tools.Gatekeeper.
func (k keeper) Ask(ctx context.Context, v gate.Verdict, asker approval.Asker) (gate.Verdict, approval.Answer, error) {
	return k.gate().Ask(ctx, v, asker)
}

// Begin implements tools.Gatekeeper.
func (k keeper) Begin(ctx context.Context, v gate.Verdict) (func(string), error) {
	return k.gate().Begin(ctx, v)
}

// BeginConfined implements tools.Gatekeeper.
func (k keeper) BeginConfined(ctx context.Context, v gate.Verdict) (func(string), error) {
	return k.gate().BeginConfined(ctx, v)
}
