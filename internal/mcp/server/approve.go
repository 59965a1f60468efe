package server

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mayi/internal/mcp/frame"
)

// Approval is a call that a client's own agent is about to make and asks about:
// a permission prompt.
type Approval struct {
	// Session is the client's session, Tool the name that the agent calls the
	// tool by, Input its input.
	Session, Tool string
	Input         json.RawMessage
	ToolUse       string
}

// Answer is what a permission prompt came to. The zero value denies.
type Answer struct {
	Allow bool
	// Input replaces the call's input; nil leaves it as it was.
	Input json.RawMessage
	// Message says why the call is denied.
	Message string
}

// addApprove offers the tool that a permission prompt calls.
func (h *Host) addApprove() {
	h.server.AddTool(&mcp.Tool{
		Name:        "approve",
		Description: "Answers a permission prompt: whether the tool call in it may run. It is for the agent's program to call, not for its model; it runs nothing.",
		Annotations: annotations("approve"),
		InputSchema: map[string]any{
			"type": "object",
			"properties": map[string]any{
				"tool_name":   map[string]any{"type": "string", "description": "the tool that is about to be called"},
				"input":       map[string]any{"type": "object", "description": "its input"},
				"tool_use_id": map[string]any{"type": "string", "description": "the call's id"},
			},
			"required": []string{"tool_name", "input"},
		},
	}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return behavior(h.approve(ctx, req)), nil
	})
}

// approve never fails: whatever goes wrong is a deny.
func (h *Host) approve(ctx context.Context, req *mcp.CallToolRequest) (Answer, json.RawMessage) {
	s := h.of(req.Session)
	if s == nil {
		return Answer{Message: "mayi: the session has ended"}, nil
	}
	if _, err := frame.Object(req.Params.Arguments); err != nil {
		return Answer{Message: "mayi: the prompt cannot be read: " + err.Error()}, nil
	}
	var in map[string]json.RawMessage
	var tool, use string
	if json.Unmarshal(req.Params.Arguments, &in) != nil || json.Unmarshal(in["tool_name"], &tool) != nil || tool == "" {
		return Answer{Message: "mayi: the prompt names no tool"}, nil
	}
	if input := in["input"]; len(input) == 0 || input[0] != '{' {
		return Answer{Message: "mayi: the prompt has no input of the tool"}, nil
	}
	_ = json.Unmarshal(in["tool_use_id"], &use) // only for the record
	ctx, stop := progress(ctx, req)
	defer stop()
	a := h.o.Approve(ctx, Approval{Session: s.name, Tool: tool, Input: in["input"], ToolUse: use})
	return a, in["input"]
}

// behavior is the answer in the words of the prompt.
func behavior(a Answer, input json.RawMessage) *mcp.CallToolResult {
	out := map[string]any{"behavior": "deny", "message": a.Message}
	if a.Message == "" {
		out["message"] = "mayi: it is not allowed"
	}
	if a.Allow {
		if len(a.Input) > 0 {
			input = a.Input
		}
		out = map[string]any{"behavior": "allow", "updatedInput": input}
	}
	raw, err := json.Marshal(out)
	if err != nil {
		raw = []byte(`{"behavior":"deny","message":"mayi: the answer could not be written"}`)
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(raw)}}}
}
