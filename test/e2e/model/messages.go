package model

import (
	"fmt"
	"strings"
)

type obj = map[string]any

// messages is Anthropic's Messages API.
type messages struct{}

func (messages) read(body map[string]any, _ string) asked {
	q := asked{stream: body["stream"] == true}
	for _, t := range list(body["tools"]) {
		q.tools = append(q.tools, text(object(t)["name"]))
	}
	for _, m := range list(body["messages"]) {
		content := object(m)["content"]
		if strings.Contains(flatten(content), Marker) {
			q.marked = true
		}
		for _, block := range list(content) {
			if b := object(block); b["type"] == "tool_result" {
				q.results = append(q.results, flatten(b["content"]))
			}
		}
	}
	return q
}

func (messages) write(w *answer, call *Call, n int) {
	block, stop := obj{"type": "text", "text": closing}, "end_turn"
	delta := obj{"type": "text_delta", "text": closing}
	if call != nil {
		block = obj{"type": "tool_use", "id": fmt.Sprintf("toolu_%04d", n), "name": call.Tool, "input": call.Args}
		delta = obj{"type": "input_json_delta", "partial_json": call.args()}
		stop = "tool_use"
	}
	message := obj{
		"id": fmt.Sprintf("msg_%04d", n), "type": "message", "role": "assistant", "model": "scripted",
		"content": []any{block}, "stop_reason": stop, "stop_sequence": nil,
		"usage": obj{"input_tokens": 10, "output_tokens": 10},
	}
	if !w.stream {
		w.object(message)
		return
	}
	message["content"], message["stop_reason"] = []any{}, nil
	if call != nil {
		block["input"] = obj{}
	} else {
		block["text"] = ""
	}
	w.event("message_start", obj{"type": "message_start", "message": message})
	w.event("content_block_start", obj{"type": "content_block_start", "index": 0, "content_block": block})
	w.event("content_block_delta", obj{"type": "content_block_delta", "index": 0, "delta": delta})
	w.event("content_block_stop", obj{"type": "content_block_stop", "index": 0})
	w.event("message_delta", obj{"type": "message_delta", "delta": obj{"stop_reason": stop, "stop_sequence": nil}, "usage": obj{"output_tokens": 10}})
	w.event("message_stop", obj{"type": "message_stop"})
}
