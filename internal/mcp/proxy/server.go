package proxy

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"mayi/internal/mcp/frame"
)

// fromServer reads what the server sends until it is gone.
func (s *session) fromServer(ctx context.Context) error {
	for {
		p, err := s.server.Read(ctx)
		if err != nil {
			return err
		}
		batch, ok := frame.Elements(p.Raw)
		if !ok {
			s.got(ctx, p)
			continue
		}
		for _, raw := range batch {
			s.got(ctx, frame.Packet{Raw: raw, About: p.About})
		}
	}
}

// got takes one message of the server's.
func (s *session) got(ctx context.Context, p frame.Packet) {
	m, err := frame.Parse(p.Raw)
	if err != nil {
		s.o.Say("a message of the server was not passed on: " + err.Error())
		if open := s.take(m.Key()); open != nil && !m.HasMethod {
			s.ended(open, "failed: the answer could not be read")
			s.toClient(ctx, frame.Packet{Raw: frame.Failure(m.ID, frame.CodeInternal, "mayi: the server's answer cannot be read: "+err.Error(), nil), About: m.Key(), Answer: true})
		}
		return
	}
	if !m.HasMethod {
		s.answered(ctx, m)
		return
	}
	if m.Method == toolsChanged {
		s.tools.forget()
	}
	if p.About == "" {
		p.About = s.about(m)
	}
	s.toClient(ctx, frame.Packet{Raw: m.Raw, About: p.About})
}

// answered passes an answer on to the one who asked. An answer that nobody
// waits for is not: it could pass for another one's.
func (s *session) answered(ctx context.Context, m frame.Message) {
	key := m.Key()
	s.mu.Lock()
	list := s.lists[key]
	delete(s.lists, key)
	s.mu.Unlock()
	if list != nil {
		list <- m
		return
	}
	p := s.take(key)
	if p == nil {
		s.o.Say("an answer of the server that nobody waits for was not passed on")
		return
	}
	raw := m.Raw
	switch p.method {
	case callMethod:
		outcome := "answered"
		if m.Error != nil {
			outcome = "failed: the server answered with an error"
		}
		s.ended(p, outcome)
	case listMethod:
		raw = s.listed(m)
	case initMethod, discoverMethod:
		s.initialized(m)
	}
	s.toClient(ctx, frame.Packet{Raw: raw, About: key, Answer: true})
}

// take ends the wait for the answer with this key; nil where nobody waits.
func (s *session) take(key string) *pending {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.pending[key]
	if p != nil {
		delete(s.pending, key)
		s.changed.Broadcast()
	}
	return p
}

// about finds the request that a message of the server's own belongs to: the one
// with its progress token, or the only one that is under way.
func (s *session) about(m frame.Message) string {
	token := ""
	if m.Method == progressMethod {
		if p, err := frame.Object(m.Params); err == nil {
			token = fmt.Sprint(p["progressToken"])
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pending) == 1 {
		for key := range s.pending {
			return key
		}
	}
	if token != "" {
		for key, p := range s.pending {
			if p.token == token {
				return key
			}
		}
	}
	return ""
}

func (s *session) initialized(m frame.Message) {
	var r struct {
		Capabilities struct {
			Tools struct {
				ListChanged bool `json:"listChanged"`
			} `json:"tools"`
		} `json:"capabilities"`
	}
	if json.Unmarshal(m.Result, &r) == nil {
		s.mu.Lock()
		s.peer.notifies = r.Capabilities.Tools.ListChanged
		s.mu.Unlock()
	}
}

// endAll ends the record of the calls that were not answered.
func (s *session) endAll(outcome string) {
	s.mu.Lock()
	open := s.pending
	s.pending = map[string]*pending{}
	s.mu.Unlock()
	for _, p := range open {
		s.ended(p, outcome)
	}
}

func (s *session) ended(p *pending, outcome string) {
	if p.end != nil {
		s.ends.add(func() { p.end(outcome) })
	}
}

// ends writes the records of ended calls behind the answers, one after the
// other: nobody waits for them.
type ends struct {
	mu   sync.Mutex
	list []func()
	some *sync.Cond
	over bool
	done chan struct{}
}

func newEnds() *ends {
	e := &ends{done: make(chan struct{})}
	e.some = sync.NewCond(&e.mu)
	go e.run()
	return e
}

func (e *ends) add(f func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.list = append(e.list, f)
	e.some.Signal()
}

func (e *ends) run() {
	defer close(e.done)
	for {
		e.mu.Lock()
		for len(e.list) == 0 && !e.over {
			e.some.Wait()
		}
		list := e.list
		e.list = nil
		e.mu.Unlock()
		if len(list) == 0 {
			return
		}
		for _, f := range list {
			f()
		}
	}
}

// close writes what is left and waits for it.
func (e *ends) close() {
	e.mu.Lock()
	e.over = true
	e.some.Signal()
	e.mu.Unlock()
	<-e.done
}
