package model

import (
	"fmt"
	"strings"
)

// responses is OpenAI's Responses API.
type responses struct{}

func (responses) read(body map[string]any, _ string) asked {
	q := asked{stream: body["stream"] == true}
	for _, t := range list(body["tools"]) {
		name := text(object(t)["name"])
		if name == "" {
			name = text(object(t)["type"])
		}
		q.tools = append(q.tools, name)
	}
	for _, item := range list(body["input"]) {
		i := object(item)
		switch i["type"] {
		case "function_call_output", "custom_tool_call_output":
			q.results = append(q.results, flatten(i["output"]))
		default:
			if strings.Contains(flatten(i["content"]), Marker) {
				q.marked = true
			}
		}
	}
	return q
}

func (responses) write(w *answer, call *Call, n int) {
	item := obj{
		"type": "message", "id": fmt.Sprintf("item_%04d", n), "role": "assistant", "status": "completed",
		"content": []any{obj{"type": "output_text", "text": closing, "annotations": []any{}}},
	}
	switch {
	case call != nil && call.Text != "":
		item = obj{
			"type": "custom_tool_call", "id": fmt.Sprintf("item_%04d", n), "call_id": fmt.Sprintf("call_%04d", n),
			"name": call.Tool, "input": call.Text, "status": "completed",
		}
	case call != nil:
		item = obj{
			"type": "function_call", "id": fmt.Sprintf("item_%04d", n), "call_id": fmt.Sprintf("call_%04d", n),
			"name": call.Tool, "arguments": call.args(), "status": "completed",
		}
		// A tool of an MCP server is declared inside a namespace and is called
		// by both names.
		if space, name, ok := strings.Cut(call.Tool, "/"); ok {
			item["namespace"], item["name"] = space, name
		}
	}
	response := obj{
		"id": fmt.Sprintf("resp_%04d", n), "object": "response", "status": "completed", "model": "scripted",
		"output": []any{item},
		"usage": obj{
			"input_tokens": 10, "input_tokens_details": obj{"cached_tokens": 0},
			"output_tokens": 10, "output_tokens_details": obj{"reasoning_tokens": 0}, "total_tokens": 20,
		},
	}
	if !w.stream {
		w.object(response)
		return
	}
	w.event("response.created", obj{"type": "response.created", "response": obj{"id": response["id"], "status": "in_progress"}})
	w.event("response.output_item.added", obj{"type": "response.output_item.added", "output_index": 0, "item": item})
	w.event("response.output_item.done", obj{"type": "response.output_item.done", "output_index": 0, "item": item})
	w.event("response.completed", obj{"type": "response.completed", "response": response})
}
