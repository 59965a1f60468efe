package model

import (
	"strings"
)

// generate is Gemini's generateContent and streamGenerateContent.
type generate struct{}

func (generate) read(body map[string]any, path string) asked {
	q := asked{stream: strings.HasSuffix(path, ":streamGenerateContent")}
	for _, t := range list(body["tools"]) {
		for _, f := range list(object(t)["functionDeclarations"]) {
			q.tools = append(q.tools, text(object(f)["name"]))
		}
	}
	for _, c := range list(body["contents"]) {
		for _, part := range list(object(c)["parts"]) {
			p := object(part)
			if r := object(p["functionResponse"]); r != nil {
				q.results = append(q.results, flatten(r["response"]))
			} else if strings.Contains(text(p["text"]), Marker) {
				q.marked = true
			}
		}
	}
	return q
}

func (generate) write(w *answer, call *Call, _ int) {
	part := obj{"text": closing}
	if call != nil {
		part = obj{"functionCall": obj{"name": call.Tool, "args": call.Args}}
	}
	out := obj{
		"candidates": []any{obj{
			"index": 0, "finishReason": "STOP",
			"content": obj{"role": "model", "parts": []any{part}},
		}},
		"usageMetadata": obj{"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20},
		"modelVersion":  "scripted",
	}
	if w.stream {
		w.event("", out)
		return
	}
	w.object(out)
}
