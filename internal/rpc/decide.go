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
	var in callParams
	if err := decode(params, &in); err != nil {
		return nil, err
	}
	one, done, err := s.use(in.Session)
	if err != nil {
		return nil, err
	}
	defer done()
	r, err := in.request(one)
	if err != nil {
		return nil, err
	}
	return asked{Decision: wire.FromVerdict("", one.app.Gate.Decide(ctx, r))}, nil
}

// ask decides a call and brings it to the person where one must decide. What is
// answered holds for the same call of an execute.
func (s *Server) ask(ctx context.Context, params json.RawMessage) (any, error) {
	var in callParams
	if err := decode(params, &in); err != nil {
		return nil, err
	}
	one, done, err := s.use(in.Session)
	if err != nil {
		return nil, err
	}
	defer done()
	r, err := in.request(one)
	if err != nil {
		return nil, err
	}
	v := one.decide(ctx, r, true)
	return asked{wire.FromVerdict("", v), v.Answered}, nil
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
