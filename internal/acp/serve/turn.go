package serve

import (
	"context"
	"errors"
	"strings"

	acp "github.com/coder/acp-go-sdk"
)

// Prompt implements acp.Agent: one turn of the conversation.
func (a *Agent) Prompt(ctx context.Context, p acp.PromptRequest) (acp.PromptResponse, error) {
	s, err := a.of(p.SessionId)
	if err != nil {
		return acp.PromptResponse{}, err
	}
	line := words(p.Prompt)
	if strings.TrimSpace(line) == "" {
		return acp.PromptResponse{}, badParams("the prompt has no text")
	}
	a.mu.Lock()
	gone := a.gone
	if !gone {
		a.turns.Add(1)
	}
	a.mu.Unlock()
	if gone {
		return acp.PromptResponse{}, errors.New("the connection is closed")
	}
	defer a.turns.Done()
	turn, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.mu.Lock()
	busy := s.cancel != nil
	if !busy {
		s.cancel = cancel
	}
	s.mu.Unlock()
	if busy {
		return acp.PromptResponse{}, badParams(errBusy.Error())
	}
	defer func() {
		s.mu.Lock()
		s.cancel = nil
		s.mu.Unlock()
	}()
	err = s.instance.Conversation.Turn(turn, line)
	switch {
	case turn.Err() != nil:
		return acp.PromptResponse{StopReason: acp.StopReasonCancelled}, nil
	case err != nil:
		return acp.PromptResponse{}, acp.NewInternalError(map[string]any{"error": err.Error()})
	}
	return acp.PromptResponse{StopReason: acp.StopReasonEndTurn}, nil
}

// words are what the person says, with what they refer to.
func words(blocks []acp.ContentBlock) string {
	var out []string
	for _, b := range blocks {
		switch {
		case b.Text != nil:
			out = append(out, b.Text.Text)
		case b.ResourceLink != nil:
			out = append(out, "["+b.ResourceLink.Name+"]("+b.ResourceLink.Uri+")")
		case b.Resource != nil && b.Resource.Resource.TextResourceContents != nil:
			r := b.Resource.Resource.TextResourceContents
			out = append(out, r.Uri+":\n"+r.Text)
		default:
			out = append(out, "[something that is no text was left out]")
		}
	}
	return strings.Join(out, "\n")
}
