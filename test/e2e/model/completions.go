package model

import (
	"fmt"
	"strings"
)

// completions is OpenAI's Chat Completions API.
type completions struct{}

func (completions) read(body map[string]any, _ string) asked {
	q := asked{stream: body["stream"] == true}
	for _, t := range list(body["tools"]) {
		q.tools = append(q.tools, text(object(object(t)["function"])["name"]))
	}
	for _, m := range list(body["messages"]) {
		content := flatten(object(m)["content"])
		if object(m)["role"] == "tool" {
			q.results = append(q.results, content)
		} else if strings.Contains(content, Marker) {
			q.marked = true
		}
	}
	return q
}

func (completions) write(w *answer, call *Call, n int) {
	message, reason := obj{"role": "assistant", "content": closing}, "stop"
	if call != nil {
		reason = "tool_calls"
		message = obj{"role": "assistant", "content": nil, "tool_calls": []any{obj{
			"index": 0, "id": fmt.Sprintf("call_%04d", n), "type": "function",
			"function": obj{"name": call.Tool, "arguments": call.args()},
		}}}
	}
	usage := obj{"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}
	if !w.stream {
		w.object(obj{
			"id": fmt.Sprintf("chat_%04d", n), "object": "chat.completion", "created": 1, "model": "scripted",
			"choices": []any{obj{"index": 0, "message": message, "finish_reason": reason}}, "usage": usage,
		})
		return
	}
	chunk := func(delta obj, reason any) obj {
		return obj{
			"id": fmt.Sprintf("chat_%04d", n), "object": "chat.completion.chunk", "created": 1, "model": "scripted",
			"choices": []any{obj{"index": 0, "delta": delta, "finish_reason": reason}},
		}
	}
	w.event("", chunk(message, nil))
	last := chunk(obj{}, reason)
	last["usage"] = usage
	w.event("", last)
	fmt.Fprint(w.w, "data: [DONE]\n\n")
}
