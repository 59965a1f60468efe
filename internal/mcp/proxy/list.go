package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"mayi/internal/mcp/frame"
	"mayi/internal/mcp/pins"
	"mayi/pkg/approval"
	"mayi/pkg/permissions"
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
		limited, cancel := context.WithTimeout(ctx, listWithin)
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

// listEntry is one tool of a list with the bytes that it came in.
type listEntry struct {
	raw  json.RawMessage
	tool pins.Tool
}

// readList reads the result of a tools/list. What two readers could take in two
// ways is an error.
func readList(m frame.Message) (list []listEntry, next string, err error) {
	if m.Error != nil {
		return nil, "", errors.New("the server answered with an error")
	}
	all, err := frame.Object(m.Result)
	if err != nil {
		return nil, "", err
	}
	for key := range all {
		if key != "tools" && strings.EqualFold(key, "tools") {
			return nil, "", fmt.Errorf("the key %q is written in another letter case", key)
		}
	}
	next, _ = all["nextCursor"].(string)
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(m.Result, &raw); err != nil {
		return nil, "", err
	}
	var entries []json.RawMessage
	if len(raw["tools"]) > 0 {
		if err := json.Unmarshal(raw["tools"], &entries); err != nil {
			return nil, "", err
		}
	}
	for _, e := range entries {
		tool, err := pins.ParseTool(e)
		if err != nil {
			return nil, "", err
		}
		list = append(list, listEntry{e, tool})
	}
	return list, next, nil
}

// listed is the answer to the client's tools/list: without the tools that no
// call of could run, and with those that have changed as they were approved. One
// that needs neither passes as it came.
func (s *session) listed(m frame.Message) []byte {
	if m.Error != nil {
		return m.Raw
	}
	list, _, err := readList(m)
	if err != nil {
		s.o.Say("the server's list of tools cannot be read: " + err.Error())
		return frame.Failure(m.ID, frame.CodeInternal, "mayi: the server's list of tools cannot be read: "+err.Error(), nil)
	}
	seen := make([]pins.Tool, len(list))
	shown := make([]json.RawMessage, 0, len(list))
	touched := false
	for i, e := range list {
		seen[i] = e.tool
		switch was, changed := s.changedTool(e.tool, true); {
		case s.hidden(e.tool):
			touched = true
			continue
		case changed:
			touched = true
			s.o.Say(fmt.Sprintf("the tool %s has changed since it was approved; the list shows it as it was until somebody agrees", approval.Line(e.tool.Name)))
			if e.raw, err = json.Marshal(was.Tool); err != nil {
				continue
			}
		}
		shown = append(shown, e.raw)
	}
	s.tools.see(seen)
	if !touched {
		return m.Raw
	}
	var result map[string]json.RawMessage
	if err := json.Unmarshal(m.Result, &result); err != nil {
		return frame.Failure(m.ID, frame.CodeInternal, "mayi: the server's list of tools cannot be read", nil)
	}
	if result["tools"], err = json.Marshal(shown); err != nil {
		return frame.Failure(m.ID, frame.CodeInternal, "mayi: the list of tools cannot be written", nil)
	}
	return frame.Success(m.ID, result)
}

// hidden reports whether the policy denies every call of the tool, whatever its
// arguments.
func (s *session) hidden(tool pins.Tool) bool {
	v := s.o.Gate.Decide(context.Background(), s.request(toolCall{name: tool.Name, arguments: map[string]any{}}, tool))
	if v.Verdict != permissions.Deny {
		return false
	}
	closed := permissions.NetworkPolicy(s.o.Gate.Settings().Policy()) == permissions.NetworkDeny
	for _, r := range v.Reasons {
		if r.Verdict != permissions.Deny {
			continue
		}
		switch r.Code {
		case "settings", "mode":
			return true
		case "network":
			if closed {
				return true
			}
		}
		if r.Rule != nil && (r.Rule.Kind == permissions.MCPRule || r.Rule.Kind == permissions.ToolRule) {
			return true
		}
	}
	return false
}
