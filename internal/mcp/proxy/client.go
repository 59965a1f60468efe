package proxy

import (
	"context"
	"encoding/json"
	"strings"

	"mayi/internal/mcp/frame"
)

// The methods that the proxy knows.
const (
	callMethod      = "tools/call"
	listMethod      = "tools/list"
	initMethod      = "initialize"
	discoverMethod  = "server/discover"
	cancelMethod    = "notifications/cancelled"
	progressMethod  = "notifications/progress"
	toolsChanged    = "notifications/tools/list_changed"
	elicitMethod    = "elicitation/create"
	messageMethod   = "notifications/message"
	latestInitiated = "2025-11-25"
)

// peer is what the client has said about itself.
type peer struct {
	name    string
	elicits bool
	// notifies: the server has said that it tells of changes in its list.
	notifies bool
}

// fromClient reads what the client sends until it is gone.
func (s *session) fromClient(ctx context.Context) error {
	for {
		p, err := s.client.Read(ctx)
		if err != nil {
			return err
		}
		batch, ok := frame.Elements(p.Raw)
		if !ok {
			s.sent(ctx, p.Raw)
			continue
		}
		// A batch is taken apart, so that no call in it goes undecided.
		for _, raw := range batch {
			s.sent(ctx, raw)
		}
	}
}

// sent takes one message of the client's.
func (s *session) sent(ctx context.Context, raw []byte) {
	m, err := frame.Parse(raw)
	switch {
	case err != nil:
		s.o.Say("a message of the client was not passed on: " + err.Error())
		s.refuseMessage(ctx, m, frame.CodeInvalid, err.Error())
	case m.Response():
		if !s.formAnswered(m) {
			s.put(ctx, &slot{raw: m.Raw})
		}
	case m.Method == callMethod:
		s.call(ctx, m)
	case strings.EqualFold(strings.TrimSpace(m.Method), callMethod):
		s.refuseMessage(ctx, m, frame.CodeNoMethod, "the method is written in another way than "+callMethod)
	case m.Method == cancelMethod:
		s.cancelled(ctx, m)
	case m.Method == discoverMethod && s.o.Sessions:
		s.refuseVersion(ctx, m)
	case m.Request():
		if m.Method == initMethod {
			s.meet(m)
		}
		if s.await(m.Key(), &pending{method: m.Method}) {
			s.put(ctx, &slot{raw: m.Raw})
			return
		}
		s.refuseMessage(ctx, m, frame.CodeInvalid, "a request with this id is under way already")
	default:
		s.put(ctx, &slot{raw: m.Raw})
	}
}

// await notes a request that the server has to answer; false where one with its
// id is under way.
func (s *session) await(key string, p *pending) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pending[key] != nil || s.deciding[key] != nil {
		return false
	}
	s.pending[key] = p
	return true
}

// refuseMessage answers a message that is not passed on, where it can be.
func (s *session) refuseMessage(ctx context.Context, m frame.Message, code int, why string) {
	if !m.HasMethod && (m.Result != nil || m.Error != nil) {
		return // an answer is not answered
	}
	s.toClient(ctx, frame.Packet{Raw: frame.Failure(m.ID, code, "mayi: "+why, nil), About: m.Key(), Answer: true})
}

// refuseVersion says which versions are spoken, as a server that does not know
// the newer ones does.
func (s *session) refuseVersion(ctx context.Context, m frame.Message) {
	data := map[string]any{"supported": []string{latestInitiated, "2025-06-18", "2025-03-26", "2024-11-05"}}
	s.toClient(ctx, frame.Packet{Raw: frame.Failure(m.ID, frame.CodeVersion, "mayi: this version of the protocol is not passed on here", data), About: m.Key(), Answer: true})
}

// meet notes who the client is and whether it can show a form.
func (s *session) meet(m frame.Message) {
	var p struct {
		ClientInfo   struct{ Name string }
		Capabilities struct{ Elicitation map[string]json.RawMessage }
	}
	if json.Unmarshal(m.Params, &p) != nil {
		return
	}
	_, form := p.Capabilities.Elicitation["form"]
	s.mu.Lock()
	defer s.mu.Unlock()
	s.peer.name = p.ClientInfo.Name
	s.peer.elicits = p.Capabilities.Elicitation != nil && (form || len(p.Capabilities.Elicitation) == 0)
}

// cancelled ends a call that is still being decided; what the server has got
// already it is told of. Neither needs an answer any more.
func (s *session) cancelled(ctx context.Context, m frame.Message) {
	var p struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	passes := true
	if json.Unmarshal(m.Params, &p) == nil {
		key := frame.IDKey(p.RequestID)
		s.mu.Lock()
		d, open := s.deciding[key], s.pending[key]
		if open != nil {
			open.cancelled = true
			s.changed.Broadcast()
		}
		s.mu.Unlock()
		if d != nil {
			d.cancel()
			passes = false // the server has never heard of it
		}
		if d != nil || open != nil {
			s.toClient(ctx, frame.Packet{About: key, Answer: true})
		}
	}
	if passes {
		s.put(ctx, &slot{raw: m.Raw})
	}
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
