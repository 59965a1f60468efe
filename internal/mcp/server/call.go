package server

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mayi/internal/mcp/frame"
	"mayi/pkg/approval"
)

// handler is the tool of that name, in the session of whoever calls it.
func (h *Host) handler(name string) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s := h.of(req.Session)
		if s == nil {
			return failed("the session has ended"), nil
		}
		args, err := frame.Object(req.Params.Arguments)
		if err != nil {
			return failed("the arguments cannot be read: " + err.Error()), nil
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(s.ctx, cancel)()
		ctx, stop := progress(ctx, req)
		defer stop()
		res := s.instance.Tools.Execute(ctx, name, args)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: res.ForLLM}}, IsError: res.IsError}, nil
	}
}

func failed(why string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "mayi: " + approval.Line(why)}}, IsError: true}
}

// annotations say what a tool of mayi's does. They are hints for the client; the
// gate goes by none of them.
func annotations(name string) *mcp.ToolAnnotations {
	switch name {
	case "read", "ls", "grep", "find", "tool_search":
		return &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: new(false)}
	case "web_fetch":
		return &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: new(true)}
	case "request_permission", "approve":
		return &mcp.ToolAnnotations{DestructiveHint: new(false), OpenWorldHint: new(false)}
	case "write", "edit":
		return &mcp.ToolAnnotations{DestructiveHint: new(true), OpenWorldHint: new(false)}
	}
	return &mcp.ToolAnnotations{DestructiveHint: new(true), OpenWorldHint: new(true)}
}
