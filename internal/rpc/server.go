package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"mayi/internal/assembly"
	"mayi/internal/confine"
	"mayi/internal/mcp/frame"
	"mayi/pkg/approval"
	"mayi/pkg/permissions"
)

// Options are what a [Server] is made of. Open and Run are needed.
type Options struct {
	// Open puts the gate together for a session: under a mode ("" for the
	// settings' own), in a working directory ("" for this process's).
	Open func(mode permissions.Mode, cwd string) (*assembly.App, error)
	// Harness is the mode that the operator asked for, "" for none.
	Harness permissions.Mode
	// Env is the environment of the commands that are run, as "NAME=value".
	Env []string
	// Queue reaches the person; nil: nobody.
	Queue func(app *assembly.App) approval.Asker
	// Sandbox is how a session's commands are confined.
	Sandbox func(app *assembly.App) (mode string, err error)
	// Run runs an allowed command.
	Run func(ctx context.Context, j confine.Job) (int, error)
	// Tools executes a call of another built-in tool, which the gate decides on
	// its way.
	Tools func(app *assembly.App, session string, asker approval.Asker) (Executor, error)
	// Version is mayi's own.
	Version string
}

// Executor executes calls of built-in tools.
type Executor interface {
	Execute(ctx context.Context, name string, args map[string]any) (text string, failed bool)
	Close() error
}

// Server serves one client. Make one with [New].
type Server struct {
	o    Options
	conn *frame.Lines

	mu       sync.Mutex
	sessions map[string]*session
	running  map[string]context.CancelFunc
	work     sync.WaitGroup
}

// New returns a server.
func New(o Options) *Server {
	return &Server{o: o, sessions: map[string]*session{}, running: map[string]context.CancelFunc{}}
}

// most is how many requests may be at work at a time.
const most = 256

// Serve answers what comes from in until its end, and returns when all of it is
// answered. When ctx ends, what runs is stopped.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s.conn = frame.NewLines(in, out, nil)
	defer s.closeAll()
	slots := make(chan struct{}, most)
	for {
		p, err := s.conn.Read(ctx)
		if errors.Is(err, io.EOF) {
			s.work.Wait()
			return nil
		}
		if err != nil {
			stop()
			s.work.Wait()
			return err
		}
		if batch, ok := frame.Elements(p.Raw); ok && len(batch) > 0 {
			s.batch(ctx, batch, slots)
			continue
		}
		s.take(ctx, p.Raw, slots, s.write)
	}
}

// batch works on several messages, whose answers go back together.
func (s *Server) batch(ctx context.Context, messages []json.RawMessage, slots chan struct{}) {
	answers := make(chan []byte, len(messages))
	expected := 0
	for _, one := range messages {
		if s.take(ctx, one, slots, func(raw []byte) { answers <- raw }) {
			expected++
		}
	}
	if expected == 0 {
		return // nothing but notifications
	}
	s.work.Go(func() {
		all := make([]json.RawMessage, expected)
		for i := range all {
			all[i] = <-answers
		}
		if raw, err := json.Marshal(all); err == nil {
			s.write(raw)
		}
	})
}

// take starts the work on a message, and reports whether reply will be called. A
// notification has no answer, and the only one with an effect is a cancellation.
func (s *Server) take(ctx context.Context, raw []byte, slots chan struct{}, reply func([]byte)) bool {
	m, err := frame.Parse(raw)
	switch {
	case err != nil && !json.Valid(raw):
		reply(frame.Failure(nil, frame.CodeParse, err.Error(), nil))
	case err != nil:
		reply(frame.Failure(m.ID, frame.CodeInvalid, err.Error(), nil))
	case m.Response():
		return false
	case !m.Request():
		if m.Method == "cancel" {
			_, _ = s.cancel(m.Params)
		}
		return false
	default:
		s.start(ctx, m, slots, reply)
	}
	return true
}

// start works on a request beside the others. An id that is at work already
// cannot be told apart in answers and cancellations, so it is refused.
func (s *Server) start(ctx context.Context, m frame.Message, slots chan struct{}, reply func([]byte)) {
	ctx, cancel := context.WithCancel(ctx)
	key := m.Key()
	s.mu.Lock()
	_, twice := s.running[key]
	if !twice {
		s.running[key] = cancel
	}
	s.mu.Unlock()
	if twice {
		cancel()
		reply(frame.Failure(m.ID, frame.CodeInvalid, "a request with this id is at work already", nil))
		return
	}
	finish := func() {
		cancel()
		s.mu.Lock()
		delete(s.running, key)
		s.mu.Unlock()
	}
	if m.Method == "cancel" { // never behind what it cancels
		result, err := s.cancel(m.Params)
		finish()
		reply(answerTo(m.ID, result, err))
		return
	}
	select {
	case slots <- struct{}{}:
	case <-ctx.Done():
		finish()
		reply(frame.Failure(m.ID, frame.CodeInternal, "the server is stopping", nil))
		return
	}
	s.work.Go(func() {
		defer func() { <-slots }()
		answer := s.do(ctx, m)
		finish()
		reply(answer)
	})
}

// do is the answer to a request; a panic is one as well.
func (s *Server) do(ctx context.Context, m frame.Message) (answer []byte) {
	defer func() {
		if p := recover(); p != nil {
			answer = frame.Failure(m.ID, frame.CodeInternal, fmt.Sprintf("the request failed: %v", p), nil)
		}
	}()
	result, err := s.call(ctx, m)
	return answerTo(m.ID, result, err)
}

func answerTo(id json.RawMessage, result any, err error) []byte {
	var wrong problem
	switch {
	case errors.As(err, &wrong):
		return frame.Failure(id, wrong.code, wrong.text, nil)
	case err != nil:
		return frame.Failure(id, frame.CodeInternal, err.Error(), nil)
	}
	return frame.Success(id, result)
}

func (s *Server) call(ctx context.Context, m frame.Message) (any, error) {
	switch m.Method {
	case "initialize":
		return s.initialize(m.Params)
	case "session.open":
		return s.open(m.Params)
	case "session.close":
		return s.end(m.Params)
	case "evaluate":
		return s.evaluate(ctx, m.Params)
	case "ask":
		return s.ask(ctx, m.Params)
	case "execute":
		return s.execute(ctx, m.ID, m.Params)
	}
	return nil, problem{frame.CodeNoMethod, fmt.Sprintf("there is no method %q; there are initialize, session.open, session.close, evaluate, ask, execute and cancel", m.Method)}
}

// write sends one message. A client that no longer reads is found by the read
// side's end.
func (s *Server) write(raw []byte) { _ = s.conn.Write(context.Background(), frame.Packet{Raw: raw}) }

// problem is an error of the client's.
type problem struct {
	code int
	text string
}

func (p problem) Error() string { return p.text }

func badParams(format string, args ...any) error {
	return problem{frame.CodeInvalidParams, fmt.Sprintf(format, args...)}
}
