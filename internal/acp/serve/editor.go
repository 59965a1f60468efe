package serve

import (
	"context"
	"errors"

	acp "github.com/coder/acp-go-sdk"

	"mayi/internal/acp/ask"
	"mayi/pkg/approval"
)

// editorSide asks at the editor, in one session.
type editorSide struct {
	a  *Agent
	id acp.SessionId
}

var _ ask.Editor = editorSide{}

// There implements ask.Editor.
func (e editorSide) There() bool {
	e.a.mu.Lock()
	defer e.a.mu.Unlock()
	return !e.a.gone && !e.a.mute
}

// Name implements ask.Editor.
func (e editorSide) Name() string {
	e.a.mu.Lock()
	defer e.a.mu.Unlock()
	return e.a.editor
}

// Request implements ask.Editor.
func (e editorSide) Request(ctx context.Context, title, text string, options []ask.Option) (string, error) {
	kind, status := acp.ToolKindOther, acp.ToolCallStatusPending
	p := acp.RequestPermissionRequest{SessionId: e.id, ToolCall: acp.ToolCallUpdate{
		ToolCallId: acp.ToolCallId("mayi-" + approval.NewID()), Title: &title, Kind: &kind, Status: &status,
		Content: []acp.ToolCallContent{acp.ToolContent(acp.TextBlock(text))},
	}}
	for _, o := range options {
		p.Options = append(p.Options, acp.PermissionOption{OptionId: acp.PermissionOptionId(o.ID), Name: o.Name, Kind: acp.PermissionOptionKind(o.Kind)})
	}
	r, err := e.a.conn.RequestPermission(ctx, p)
	if err != nil {
		var problem *acp.RequestError
		if errors.As(err, &problem) && problem.Code == acp.NewMethodNotFound("").Code {
			e.a.mu.Lock()
			e.a.mute = true
			e.a.mu.Unlock()
		}
		return "", err
	}
	if r.Outcome.Selected == nil {
		return "", nil
	}
	return string(r.Outcome.Selected.OptionId), nil
}

// Note implements ask.Editor.
func (e editorSide) Note(ctx context.Context, title, text string) {
	e.a.o.Say(text)
	_ = e.a.conn.SessionUpdate(context.WithoutCancel(ctx), acp.SessionNotification{SessionId: e.id, Update: acp.StartToolCall(
		acp.ToolCallId("mayi-"+approval.NewID()), title, acp.WithStartKind(acp.ToolKindOther), acp.WithStartStatus(acp.ToolCallStatusFailed),
		acp.WithStartContent([]acp.ToolCallContent{acp.ToolContent(acp.TextBlock(text))}),
	)})
}
