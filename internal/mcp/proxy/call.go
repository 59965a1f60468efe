package proxy

import (
	"context"
	"fmt"
	"strings"

	"mayi/internal/mcp/frame"
	"mayi/internal/mcp/pins"
	"mayi/pkg/approval"
	"mayi/pkg/effects"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

// deciding is a call that is not yet on its way to the server.
type deciding struct{ cancel context.CancelFunc }

// call decides one tools/call and passes it on where it is allowed.
func (s *session) call(ctx context.Context, m frame.Message) {
	if m.ID == nil {
		s.o.Say("a tools/call without an id was not passed on")
		return
	}
	c, err := readCall(m)
	if err != nil {
		s.refuseMessage(ctx, m, frame.CodeInvalidParams, err.Error())
		return
	}
	key := m.Key()
	mine, cancel := context.WithCancel(withKey(ctx, key))
	s.mu.Lock()
	taken := s.pending[key] != nil || s.deciding[key] != nil
	if !taken {
		s.deciding[key] = &deciding{cancel}
	}
	s.mu.Unlock()
	if taken {
		cancel()
		s.refuseMessage(ctx, m, frame.CodeInvalid, "a request with this id is under way already")
		return
	}
	s.know(ctx, c)
	turn := &slot{raw: m.Raw, ready: make(chan bool, 1)}
	s.put(ctx, turn)
	s.decisions.Go(func() {
		defer cancel()
		s.decide(ctx, mine, key, c, turn)
	})
}

// toolCall is what a tools/call asks for.
type toolCall struct {
	name      string
	arguments map[string]any
	meta      map[string]any
	token     string
}

// readCall reads the parameters of a tools/call. What two readers could take in
// two ways is an error.
func readCall(m frame.Message) (toolCall, error) {
	params, err := frame.Object(m.Params)
	if err != nil {
		return toolCall{}, fmt.Errorf("the call cannot be read: %w", err)
	}
	c := toolCall{arguments: map[string]any{}}
	for key, v := range params {
		known := strings.ToLower(strings.ToUpper(key))
		if known != "name" && known != "arguments" {
			continue
		}
		if key != known {
			return c, fmt.Errorf("the call cannot be read: the key %q is written in another letter case", key)
		}
		switch v := v.(type) {
		case string:
			if key == "name" {
				c.name = v
				continue
			}
		case map[string]any:
			if key == "arguments" {
				c.arguments = v
				continue
			}
		case nil:
			if key == "arguments" {
				continue
			}
		}
		return c, fmt.Errorf("the call cannot be read: its %s has the wrong type", key)
	}
	if c.name == "" {
		return c, fmt.Errorf("the call names no tool")
	}
	c.meta, _ = params["_meta"].(map[string]any)
	if t, ok := c.meta["progressToken"]; ok {
		c.token = fmt.Sprint(t)
	}
	return c, nil
}

// decide takes the call to the gate and to the person. mine ends when the client
// cancels the call. turn is let go as soon as somebody has to be asked, so that
// nothing waits behind a question.
func (s *session) decide(ctx, mine context.Context, key string, c toolCall, turn *slot) {
	goes, released := false, false
	release := func(v bool) {
		if !released {
			released = true
			turn.ready <- v
		}
	}
	defer func() {
		if p := recover(); p != nil {
			goes = false
			s.refuse(ctx, key, "deciding failed: "+approval.Line(fmt.Sprint(p)))
		}
		s.mu.Lock()
		delete(s.deciding, key)
		s.mu.Unlock()
		late := goes && released
		release(goes)
		if late {
			s.put(ctx, &slot{raw: turn.raw})
		}
	}()
	tool, known := s.look(mine, c.name)
	v := s.o.Gate.Decide(mine, s.request(c, tool))
	was, changed := s.changedTool(tool, known)
	if v.Verdict == permissions.Ask || v.Verdict == permissions.Allow && changed {
		release(false)
	}
	why := v.Reason
	v, answer, err := s.ask(mine, v, was, tool, changed)
	if mine.Err() != nil {
		return // cancelled: nobody waits for an answer
	}
	if v.Verdict != permissions.Allow {
		s.o.Gate.Refuse(ctx, v)
		s.refuse(ctx, key, refusal(v, why, answer, err))
		return
	}
	end, err := s.o.Gate.Begin(mine, v)
	if err != nil {
		s.refuse(ctx, key, "not run: "+err.Error())
		return
	}
	s.approve(ctx, tool, known, changed, answer)
	if goes = s.begin(mine, key, &pending{method: callMethod, token: c.token, end: end}); !goes {
		end("cancelled before it was passed on")
	}
}

// look is what the server says about the tool; where that is being asked for, it
// waits.
func (s *session) look(ctx context.Context, name string) (pins.Tool, bool) {
	tool, known, wait := s.tools.get(name)
	if wait == nil {
		return tool, known
	}
	select {
	case <-wait:
	case <-ctx.Done():
	}
	tool, known, _ = s.tools.get(name)
	return tool, known
}

// begin makes the decided call one that the server has to answer, unless it was
// cancelled.
func (s *session) begin(mine context.Context, key string, p *pending) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if mine.Err() != nil {
		return false
	}
	delete(s.deciding, key)
	s.pending[key] = p
	return true
}

func (s *session) request(c toolCall, tool pins.Tool) gate.Request {
	hints := tool.Hints()
	schema, _ := tool.Input.(map[string]any)
	return gate.Request{
		Session: s.o.Session, Caller: s.o.Caller, Remote: s.o.Remote, Cwd: s.o.Cwd,
		Tool:  permissions.Tool{Server: s.o.Name, Name: c.name},
		Input: map[string]any{"name": c.name, "arguments": c.arguments},
		Foreign: &effects.Foreign{
			ReadOnly: hints.ReadOnly, Destructive: hints.Destructive, OpenWorld: hints.OpenWorld,
			Trusted: s.o.Trusted, Schema: schema,
		},
	}
}

// refuse answers a call that does not run, as a result that the model reads.
func (s *session) refuse(ctx context.Context, key, why string) {
	s.toClient(ctx, frame.Packet{About: key, Answer: true, Raw: frame.Success(idOf(key), map[string]any{
		"content": []any{map[string]any{"type": "text", "text": "mayi: " + why}},
		"isError": true,
	})})
}

// refusal says why a call did not run; why is what it was asked about.
func refusal(v gate.Verdict, why string, a approval.Answer, err error) string {
	switch {
	case err != nil && a.Note == "":
		return "permission was not given: " + approval.Line(err.Error()) + "; " + approval.Line(why)
	case a.Note != "":
		return "permission was not given: " + approval.Line(a.Note) + "; " + approval.Line(why)
	case a.Answered():
		return "the person denied this call. Do not ask for it again in this session"
	}
	text := "not allowed: " + approval.Line(v.Reason)
	if len(v.Rules) > 0 && v.Rules[0].Source.File != "" {
		text += fmt.Sprintf(" (%s:%d)", approval.Line(v.Rules[0].Source.File), v.Rules[0].Source.Line)
	}
	return text
}
