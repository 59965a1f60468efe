package rpc

import (
	"context"
	"encoding/json"

	"mayi/internal/mcp/frame"
	"mayi/internal/wire"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

// asked is a decision after the person, where one was asked.
type asked struct {
	wire.Decision
	// Answered says what the person answered, and Answer the choice.
	Answered string `json:"answered,omitempty"`
}

// evaluate decides a call, and asks nobody.
func (s *Server) evaluate(ctx context.Context, params json.RawMessage) (any, error) {
	return s.answer(ctx, params, false)
}

// ask decides a call and brings it to the person where one must decide. What is
// answered holds for the same call of an execute.
func (s *Server) ask(ctx context.Context, params json.RawMessage) (any, error) {
	return s.answer(ctx, params, true)
}

func (s *Server) answer(ctx context.Context, params json.RawMessage, asking bool) (any, error) {
	var in callParams
	if err := decode(params, &in); err != nil {
		return nil, err
	}
	one, r, done, err := s.prepare(in)
	if err != nil {
		return nil, err
	}
	defer done()
	v := one.decide(ctx, r, asking)
	return asked{wire.FromVerdict("", v), v.Answered}, nil
}

// prepare is the call in its session, which stays open until done is called.
func (s *Server) prepare(in callParams) (one *session, r gate.Request, done func(), err error) {
	one, done, err = s.use(in.Session)
	if err != nil {
		return nil, r, nil, err
	}
	if r, err = in.request(one); err != nil {
		done()
		return nil, r, nil, err
	}
	return one, r, done, nil
}

// decide decides and, with asking, asks.
func (o *session) decide(ctx context.Context, r gate.Request, asking bool) gate.Verdict {
	v := o.app.Gate.Decide(ctx, r)
	if v.Verdict == permissions.Ask && asking {
		v, _, _ = o.app.Gate.Ask(ctx, v, o.asker) // an error leaves a verdict that does not allow
	}
	return v
}

// cancel stops a request that is at work. It says whether there was one.
func (s *Server) cancel(params json.RawMessage) (any, error) {
	var in requestID
	if err := decode(params, &in); err != nil {
		return nil, err
	}
	s.mu.Lock()
	stop := s.running[frame.IDKey(in.ID)]
	s.mu.Unlock()
	if stop != nil {
		stop()
	}
	return map[string]bool{"cancelled": stop != nil}, nil
}
