package proxy

import (
	"encoding/json"
	"path/filepath"
	"sync"

	"mayi/internal/acp/ask"
	"mayi/internal/acp/facts"
	"mayi/internal/acp/modes"
	"mayi/pkg/approval"
	"mayi/pkg/permissions"
)

// mostCalls is how many tool calls of a session are kept in mind; older ones are
// then as if nothing had been said of them.
const mostCalls = 1024

// conv is one of the agent's sessions. Its fields are guarded by the session's
// mu.
type conv struct {
	id, cwd string
	// requested is the mode that the person has asked for, "" for none.
	requested permissions.Mode
	// current is the agent's session mode, "" where it has none, and available
	// those that may be set.
	current   string
	available []string
	// categories are those of the configuration options, by their ids.
	categories map[string]string
	// over: the agent is in a mode above the ceiling, and nothing is allowed
	// until it is not.
	over bool
	// calls are what was said of the tool calls that were not asked about yet,
	// order their ids, oldest first; running ends the records of allowed ones.
	calls   map[string]*facts.Call
	order   []string
	running map[string]func(outcome string)
	// passes are answers that still cover a request that belongs to their call.
	passes []pass
	asker  approval.Asker
}

// conversation is the session of that id; nil for one that nobody has opened.
func (s *session) conversation(id string) *conv {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.convs[id]
}

// folder is where a session runs that names this folder.
func (s *session) folder(cwd string) string {
	if !filepath.IsAbs(cwd) {
		return s.o.Cwd
	}
	return cwd
}

// begin notes a session of the agent's.
func (s *session) begin(id, cwd string) *conv {
	cwd = s.folder(cwd)
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.convs[id]; c != nil && c.cwd == cwd {
		return c
	}
	c := &conv{id: id, cwd: cwd, calls: map[string]*facts.Call{}, running: map[string]func(string){}}
	side := editorSide{s, c}
	c.asker = approval.NewLimits(approval.First(ask.New(side), queueOf{s, c}), approval.LimitOptions{})
	s.convs[id] = c
	return c
}

// place is the gate that decides for the session now.
func (s *session) place(c *conv) (Place, error) {
	if c == nil {
		return s.places.at(s.o.Cwd, "")
	}
	s.mu.Lock()
	cwd, requested := c.cwd, c.requested
	s.mu.Unlock()
	return s.places.at(cwd, requested)
}

// ceiling is the highest mode for the session; the strictest where that cannot
// be known.
func (s *session) ceiling(c *conv) permissions.Mode {
	p, err := s.place(c)
	if err != nil {
		s.o.Say(err.Error())
		return permissions.Plan
	}
	return p.Ceiling
}

// entered notes that the agent's session is in a mode. asked says that the person
// has asked for it.
func (s *session) entered(c *conv, mode string, asked bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.current, c.over = mode, false
	if asked {
		c.requested = modes.Requested(mode)
	}
}

// call is what was said of a tool call; a new one where that is nothing. mu is
// held.
func (c *conv) call(id string) *facts.Call {
	if known := c.calls[id]; known != nil {
		return known
	}
	for len(c.order) >= mostCalls {
		delete(c.calls, c.order[0])
		c.order = c.order[1:]
	}
	fresh := &facts.Call{}
	c.calls[id] = fresh
	c.order = append(c.order, id)
	return fresh
}

// forget drops what was said of a tool call: its id may be used for another. mu
// is held.
func (c *conv) forget(id string) {
	if c.calls[id] == nil {
		return
	}
	delete(c.calls, id)
	for i, x := range c.order {
		if x == id {
			c.order = append(c.order[:i:i], c.order[i+1:]...)
			return
		}
	}
}

// places are the gates that were opened.
type places struct {
	open   func(cwd string, requested permissions.Mode) (Place, error)
	mu     sync.Mutex
	opened map[placeKey]Place
}

type placeKey struct {
	cwd       string
	requested permissions.Mode
}

func (p *places) at(cwd string, requested permissions.Mode) (Place, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := placeKey{cwd, requested}
	if found, ok := p.opened[key]; ok {
		return found, nil
	}
	fresh, err := p.open(cwd, requested)
	if err != nil {
		return Place{}, err
	}
	if p.opened == nil {
		p.opened = map[placeKey]Place{}
	}
	p.opened[key] = fresh
	return fresh, nil
}

func (p *places) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range p.opened {
		if one.Close != nil {
			_ = one.Close()
		}
	}
	p.opened = nil
}

// idOf is an id that has this key.
func idOf(key string) json.RawMessage {
	if key == "" {
		return nil
	}
	if key[0] == 's' {
		raw, err := json.Marshal(key[1:])
		if err != nil {
			return nil
		}
		return raw
	}
	return json.RawMessage(key[1:])
}
