package proxy

import (
	"context"
	"encoding/json"
	"fmt"

	"mayi/internal/mcp/elicit"
	"mayi/internal/mcp/frame"
	"mayi/internal/mcp/pins"
	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

// changedTool is the tool as it was approved, where it is another one now.
func (s *session) changedTool(tool pins.Tool, known bool) (pins.Pin, bool) {
	if s.o.Pins == nil {
		return pins.Pin{}, false
	}
	if !known {
		// What the server says about it now is not known.
		return s.o.Pins.Approved(tool.Name)
	}
	return s.o.Pins.Changed(tool)
}

// ask brings the call to the person where the policy, or a change of the tool,
// asks for it.
func (s *session) ask(ctx context.Context, v gate.Verdict, was pins.Pin, tool pins.Tool, changed bool) (gate.Verdict, approval.Answer, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.asking, cancel)() // a client that is gone asks nobody
	switch {
	case v.Verdict == permissions.Deny:
		return v, approval.Answer{}, nil
	case s.asking.Err() != nil && (changed || v.Verdict == permissions.Ask):
		v.Verdict, v.Promptable = permissions.Deny, false
		return v, approval.Denied("the client has ended, so nobody is asked"), nil
	case changed:
		return s.o.Gate.Confirm(ctx, v, gate.Concern{
			ID:     tool.Fingerprint(),
			Reason: "the tool is not what it was when it was approved on " + was.Approved.Format("2006-01-02"),
			Text:   "What the server says about " + tool.Name + " has changed:\n" + pins.Difference(was.Tool, tool),
		}, s.asker)
	case v.Verdict == permissions.Ask:
		return s.o.Gate.Ask(ctx, v, s.asker)
	}
	return v, approval.Answer{}, nil
}

// approve remembers the tool of an allowed call. One that has changed is
// remembered where the answer is for longer than this call, and the client is
// told that the list shows it now.
func (s *session) approve(ctx context.Context, tool pins.Tool, known, changed bool, a approval.Answer) {
	if s.o.Pins == nil || !known || changed && a.Choice != approval.Session && a.Choice != approval.Always {
		return
	}
	if err := s.o.Pins.Approve(tool); err != nil {
		s.o.Say(err.Error())
		return
	}
	s.mu.Lock()
	notifies := s.peer.notifies
	s.mu.Unlock()
	if changed && notifies {
		s.toClient(ctx, frame.Packet{Raw: frame.Call("", toolsChanged, nil)})
	}
}

type keyOfCall struct{}

func withKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, keyOfCall{}, key)
}

func callKey(ctx context.Context) string {
	key, _ := ctx.Value(keyOfCall{}).(string)
	return key
}

// forms asks through the client of the session.
type forms struct{ s *session }

var _ elicit.Client = forms{}

// Elicits implements elicit.Client.
func (f forms) Elicits() bool {
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	return f.s.peer.elicits
}

// Name implements elicit.Client.
func (f forms) Name() string {
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	return f.s.peer.name
}

// Tell implements elicit.Client.
func (f forms) Tell(ctx context.Context, text string) {
	f.s.o.Say(text)
	f.s.toClient(ctx, frame.Packet{Raw: frame.Call("", messageMethod, map[string]any{"level": "notice", "logger": "mayi", "data": text}), About: callKey(ctx)})
}

// Elicit implements elicit.Client: a request of mayi's own to the client.
func (f forms) Elicit(ctx context.Context, message string, words []string) (string, elicit.Outcome, error) {
	s, id := f.s, "mayi-"+approval.NewID()
	answered := make(chan frame.Message, 1)
	s.mu.Lock()
	s.forms["s"+id] = answered
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if _, open := s.forms["s"+id]; open {
			s.forms["s"+id] = nil // a late answer is still no answer to the server
		}
	}()
	err := s.client.Write(ctx, frame.Packet{Raw: frame.Call(id, elicitMethod, elicit.Form(message, words)), About: callKey(ctx)})
	if err != nil {
		return "", elicit.Closed, err
	}
	select {
	case m := <-answered:
		return readForm(m)
	case <-ctx.Done():
		s.toClient(context.WithoutCancel(ctx), frame.Packet{
			Raw: frame.Call("", cancelMethod, map[string]any{"requestId": id, "reason": "the question is not open any more"}), About: callKey(ctx),
		})
		return "", elicit.Closed, ctx.Err()
	}
}

// formAnswered takes the answer to a request of mayi's own.
func (s *session) formAnswered(m frame.Message) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	to, ours := s.forms[m.Key()]
	delete(s.forms, m.Key())
	if to != nil {
		to <- m
	}
	return ours
}

// readForm reads what the person did with a form.
func readForm(m frame.Message) (string, elicit.Outcome, error) {
	if m.Error != nil {
		return "", elicit.Closed, fmt.Errorf("the client answered: %s", approval.Line(string(m.Error)))
	}
	var r struct {
		Action  string         `json:"action"`
		Content map[string]any `json:"content"`
	}
	if err := json.Unmarshal(m.Result, &r); err != nil {
		return "", elicit.Closed, fmt.Errorf("the client's answer cannot be read: %w", err)
	}
	word, outcome := elicit.Answer(r.Action, r.Content)
	return word, outcome, nil
}
