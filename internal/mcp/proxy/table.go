package proxy

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"mayi/internal/mcp/frame"
	"mayi/internal/mcp/pins"
	"mayi/pkg/approval"
)

// listWithin bounds how long the proxy's own look at the list may take, and
// listPages how many pages it reads.
const (
	listWithin = 10 * time.Second
	listPages  = 100
)

// table is what the server has last said about its tools.
type table struct {
	mu    sync.Mutex
	tools map[string]pins.Tool
	// fresh: the whole list was read, and the server told of no change since.
	fresh bool
	// reading is closed when a look at the list that is under way is over.
	reading chan struct{}
}

// get returns the tool of that name; false where the server does not say what it
// is. wait, where it is not nil, ends when the list has been read.
func (t *table) get(name string) (tool pins.Tool, known bool, wait <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if tool, known = t.tools[name]; !known {
		tool = pins.Tool{Name: name}
		if t.reading != nil {
			wait = t.reading
		}
	}
	return tool, known, wait
}

// read begins a look at the list, where one is needed to know the tool and none
// is under way. The caller ends it with done.
func (t *table) read(name string) (begun bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, known := t.tools[name]; known || t.fresh || t.reading != nil {
		return false
	}
	t.reading = make(chan struct{})
	return true
}

// done ends a look at the list; nil where it failed.
func (t *table) done(all map[string]pins.Tool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	close(t.reading)
	t.reading = nil
	if all != nil {
		t.tools, t.fresh = all, true
	}
}

// see notes what a list said.
func (t *table) see(list []pins.Tool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	next := maps.Clone(t.tools)
	if next == nil {
		next = map[string]pins.Tool{}
	}
	for _, tool := range list {
		next[tool.Name] = tool
	}
	t.tools = next
}

// forget makes the next call look at the list again.
func (t *table) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tools, t.fresh = nil, false
}

// know makes sure that the server is asked what the tool is before the call that
// follows in the line. The answer is waited for elsewhere.
func (s *session) know(ctx context.Context, c toolCall) {
	if !s.tools.read(c.name) {
		return
	}
	meta := maps.Clone(c.meta) // newer versions of the protocol say who asks in it
	delete(meta, "progressToken")
	params := map[string]any{}
	if len(meta) > 0 {
		params["_meta"] = meta
	}
	first := s.ownRequest(params)
	s.put(ctx, &slot{raw: first.raw})
	s.decisions.Go(func() {
		limited, cancel := context.WithTimeout(s.alive, listWithin)
		defer cancel()
		all, err := s.pages(limited, first, params)
		if err != nil {
			s.o.Say("the server's list of tools cannot be read: " + err.Error())
		}
		s.tools.done(all)
	})
}

// pages reads the whole list, of which the first page was asked for.
func (s *session) pages(ctx context.Context, r request, params map[string]any) (map[string]pins.Tool, error) {
	out := map[string]pins.Tool{}
	for range listPages {
		m, err := s.wait(ctx, r)
		if err != nil {
			return nil, err
		}
		list, next, err := readList(m)
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			out[e.tool.Name] = e.tool
		}
		if next == "" {
			return out, nil
		}
		params["cursor"] = next
		r = s.ownRequest(params)
		if err := s.server.Write(ctx, frame.Packet{Raw: r.raw}); err != nil {
			return nil, err
		}
	}
	return nil, errors.New("it does not end")
}

// request is something that the proxy itself asks the server.
type request struct {
	key      string
	raw      []byte
	answered chan frame.Message
}

// ownRequest makes a request for the list and notes that its answer is mayi's.
func (s *session) ownRequest(params any) request {
	id := "mayi-" + approval.NewID()
	r := request{key: "s" + id, raw: frame.Call(id, listMethod, params), answered: make(chan frame.Message, 1)}
	s.mu.Lock()
	s.lists[r.key] = r.answered
	s.mu.Unlock()
	return r
}

// wait waits for the answer to r.
func (s *session) wait(ctx context.Context, r request) (frame.Message, error) {
	select {
	case m := <-r.answered:
		return m, nil
	case <-ctx.Done():
		s.mu.Lock()
		delete(s.lists, r.key)
		s.mu.Unlock()
		return frame.Message{}, ctx.Err()
	}
}
