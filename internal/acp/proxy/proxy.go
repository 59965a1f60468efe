// Package proxy stands between an editor and an agent that speak ACP. What the
// agent asks permission for is answered where the policy decides and goes to the
// person where one has to; session modes above the ceiling do not exist; files
// and terminals that the agent asks the editor for are decided before the editor
// hears of them. Whatever else passes is passed as it came, byte for byte and in
// its order.
package proxy

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"mayi/internal/acp/facts"
	"mayi/internal/mcp/frame"
	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

// Options say whom the proxy stands between, and who decides. Agent.Name, Open,
// Session and Cwd are needed.
type Options struct {
	// Agent is who makes the calls; its Cwd is not looked at.
	Agent facts.Agent
	// Open opens the gate for a folder. requested is the mode that the person has
	// asked for in the editor, "" for none. It is called once for each pair.
	Open func(cwd string, requested permissions.Mode) (Place, error)
	// Session separates the answers given in it from all others; each of the
	// agent's sessions has a part of its own in it. Caller names the program for
	// the record.
	Session, Caller string
	// Cwd is the folder of a session that names none.
	Cwd string
	// Say is told what the operator should know; nil tells nobody.
	Say func(text string)
}

// Place is the gate for a folder under a mode.
type Place struct {
	Gate *gate.Gate
	// Ceiling is the highest mode that an agent's session may be in.
	Ceiling permissions.Mode
	// Queue reaches the person where the editor does not; nil: nobody.
	Queue approval.Asker
	// Close gives it back; may be nil.
	Close func() error
}

// CodeRefused is the code of the error that answers what is not allowed.
const CodeRefused = -32001

// drain bounds how long the agent is waited for when the editor is gone.
const drain = 5 * time.Second

// session is one editor with one agent.
type session struct {
	o                 Options
	editor, agent     frame.Conn
	toEditor, toAgent *outbox

	// asking ends with hangup; work are the questions that are open.
	asking context.Context
	hangup context.CancelFunc
	work   sync.WaitGroup

	mu sync.Mutex
	// waiting are the editor's requests that the agent has to answer, asked the
	// agent's that are under way, own mayi's: all by the key of their id.
	waiting    map[string]*waiting
	asked      map[string]*asked
	ownAgent   map[string]func(frame.Message)
	ownEditor  map[string]chan frame.Message
	convs      map[string]*conv
	editorName string
	// gone: the editor is not there any more; mute: it does not know how to ask.
	gone, mute bool
	// settled is told when the editor waits for one answer less.
	settled chan struct{}

	places places
}

// waiting is a request of the editor's.
type waiting struct {
	method string
	// session and cwd are those that the request names, value the mode that it
	// sets.
	session, cwd, value string
}

// asked is a request of the agent's.
type asked struct {
	// permission is what it asks permission for, nil for another request.
	permission *permission
	// cancel ends the question that is open about it, nil where there is none.
	cancel context.CancelFunc
	// end is told what came of it; nil tells nobody.
	end func(outcome string)
}

// Run passes messages until one side is gone or ctx ends, and closes both. An
// end of the editor's side is no error.
func Run(ctx context.Context, editor, agent frame.Conn, o Options) error {
	if o.Say == nil {
		o.Say = func(string) {}
	}
	s := &session{
		o: o, editor: editor, agent: agent,
		toEditor: newOutbox(editor), toAgent: newOutbox(agent),
		waiting: map[string]*waiting{}, asked: map[string]*asked{}, convs: map[string]*conv{},
		settled:  make(chan struct{}, 1),
		ownAgent: map[string]func(frame.Message){}, ownEditor: map[string]chan frame.Message{},
	}
	s.places.open = o.Open
	s.asking, s.hangup = context.WithCancel(ctx)
	defer s.hangup()
	agentGone := make(chan error, 1)
	go func() { agentGone <- s.read(ctx, agent, s.got) }()
	editorGone := make(chan error, 1)
	go func() { editorGone <- s.read(ctx, editor, s.sent) }()

	var err error
	agentEnded := false
	select {
	case err = <-editorGone:
		s.leave()
		if agentEnded = s.linger(ctx, agentGone); agentEnded {
			err = errors.Join(ignoreEnd(err), ErrAgentEnded)
		}
	case err = <-agentGone:
		agentEnded = true
		err = errors.Join(ignoreEnd(err), ErrAgentEnded)
	case <-s.toAgent.broken:
		agentEnded, err = true, ErrAgentEnded
	case <-s.toEditor.broken:
	case <-ctx.Done():
	}
	s.leave()
	s.work.Wait()
	if agentEnded {
		s.abandon("the agent has ended")
	}
	s.toAgent.finish(drain)
	s.toEditor.finish(drain)
	err = errors.Join(ignoreEnd(err), agent.Close())
	editor.Close()
	if ctx.Err() != nil {
		err = nil // that is how one ends it
	}
	s.endAll()
	s.places.close()
	return err
}

// ErrAgentEnded says that the agent went away before the editor did.
var ErrAgentEnded = errors.New("the agent has ended")

func ignoreEnd(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) {
		return nil
	}
	return err
}

// read hands on what one side says until it is gone. A batch is taken apart, so
// that nothing in it goes undecided.
func (s *session) read(ctx context.Context, from frame.Conn, take func(raw []byte)) error {
	for {
		p, err := from.Read(ctx)
		if err != nil {
			return err
		}
		batch, ok := frame.Elements(p.Raw)
		if !ok {
			take(p.Raw)
			continue
		}
		for _, raw := range batch {
			take(raw)
		}
	}
}

// linger lets what the editor has said before it went reach the agent, and the
// answers come back: somebody may have written it all at once. Nobody is asked
// any more meanwhile. It reports whether the agent went while it was waited for.
func (s *session) linger(ctx context.Context, agentGone <-chan error) (agentEnded bool) {
	limit := time.After(drain)
	for s.waited() {
		select {
		case <-s.settled:
		case <-agentGone:
			return s.waited()
		case <-s.toAgent.broken:
			return s.waited()
		case <-s.toEditor.broken:
			return false
		case <-ctx.Done():
			return false
		case <-limit:
			return false
		}
	}
	return false
}

// waited reports whether the editor waits for an answer.
func (s *session) waited() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.waiting) > 0
}

// leave withdraws the questions that are open: nobody is there any more.
func (s *session) leave() {
	s.mu.Lock()
	s.gone = true
	s.mu.Unlock()
	s.hangup()
}

// abandon answers the editor's requests that will not be answered any more.
func (s *session) abandon(why string) {
	s.mu.Lock()
	open := s.waiting
	s.waiting = map[string]*waiting{}
	s.mu.Unlock()
	for key := range open {
		s.toEditor.put(frame.Failure(idOf(key), frame.CodeInternal, "mayi: "+why, nil))
	}
}

// endAll ends the record of what was not told the end of.
func (s *session) endAll() {
	s.mu.Lock()
	var ends []func(string)
	for _, a := range s.asked {
		if a.end != nil {
			ends = append(ends, a.end)
		}
	}
	for _, c := range s.convs {
		for _, end := range c.running {
			ends = append(ends, end)
		}
		c.running = nil
	}
	s.asked = map[string]*asked{}
	s.mu.Unlock()
	for _, end := range ends {
		end("the session ended before it was told")
	}
}
