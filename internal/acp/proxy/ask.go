package proxy

import (
	"context"
	"encoding/json"
	"fmt"

	"mayi/internal/acp/ask"
	"mayi/internal/mcp/frame"
	"mayi/pkg/approval"
)

// editorSide asks at the editor, in one of the agent's sessions.
type editorSide struct {
	s *session
	c *conv
}

var _ ask.Editor = editorSide{}

// There implements ask.Editor.
func (e editorSide) There() bool {
	e.s.mu.Lock()
	defer e.s.mu.Unlock()
	return !e.s.gone && !e.s.mute
}

// Name implements ask.Editor.
func (e editorSide) Name() string {
	e.s.mu.Lock()
	defer e.s.mu.Unlock()
	return e.s.editorName
}

// Request implements ask.Editor: a request of mayi's own to the editor.
func (e editorSide) Request(ctx context.Context, title, text string, options []ask.Option) (string, error) {
	s, id := e.s, "mayi-"+approval.NewID()
	answered := make(chan frame.Message, 1)
	s.mu.Lock()
	s.ownEditor["s"+id] = answered
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if _, open := s.ownEditor["s"+id]; open {
			s.ownEditor["s"+id] = nil // a late answer is still no answer to the agent
		}
	}()
	s.toEditor.put(frame.Call(id, permissionMethod, map[string]any{
		"sessionId": e.c.id, "options": options,
		"toolCall": map[string]any{
			"toolCallId": id, "title": title, "kind": "other", "status": "pending", "content": []any{textBlock(text)},
		},
	}))
	select {
	case m := <-answered:
		return e.read(m)
	case <-ctx.Done():
		s.toEditor.put(frame.Call("", cancelMethod, map[string]any{"requestId": id}))
		return "", ctx.Err()
	}
}

// read reads what the person chose.
func (e editorSide) read(m frame.Message) (string, error) {
	if m.Error != nil {
		var problem struct {
			Code int `json:"code"`
		}
		if json.Unmarshal(m.Error, &problem) == nil && problem.Code == frame.CodeNoMethod {
			e.s.mu.Lock()
			e.s.mute = true
			e.s.mu.Unlock()
		}
		return "", fmt.Errorf("the editor answered: %s", approval.Line(string(m.Error)))
	}
	result, err := frame.Object(m.Result)
	if err != nil {
		return "", fmt.Errorf("the editor's answer cannot be read: %w", err)
	}
	out, _ := result["outcome"].(map[string]any)
	switch text(out, "outcome") {
	case "selected":
		return text(out, "optionId"), nil
	case "cancelled":
		return "", nil
	}
	return "", fmt.Errorf("the editor's answer is neither a choice nor cancelled")
}

// Note implements ask.Editor: a tool call of mayi's own that has failed.
func (e editorSide) Note(_ context.Context, title, text string) {
	e.s.o.Say(text)
	e.s.toEditor.put(frame.Call("", updateMethod, map[string]any{
		"sessionId": e.c.id,
		"update": map[string]any{
			"sessionUpdate": "tool_call", "toolCallId": "mayi-" + approval.NewID(), "title": title, "kind": "other", "status": "failed",
			"content": []any{textBlock(text)},
		},
	}))
}

// queueOf asks by the queue of the session's place.
type queueOf struct {
	s *session
	c *conv
}

// Ask implements approval.Asker.
func (q queueOf) Ask(ctx context.Context, question approval.Question) (approval.Answer, error) {
	p, err := q.s.place(q.c)
	if err != nil || p.Queue == nil {
		return approval.Denied("nobody can be asked here"), approval.ErrUnavailable
	}
	return p.Queue.Ask(ctx, question)
}
