package anthropic

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mayi/pkg/agent/model"
	"mayi/pkg/agent/model/modeltest"
)

func event(kind string, v map[string]any) string {
	v["type"] = kind
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return "event: " + kind + "\ndata: " + string(b) + "\n\n"
}

func frames(s modeltest.Script) []string {
	out := []string{event("message_start", map[string]any{"message": map[string]any{
		"id": "m1", "type": "message", "role": "assistant", "model": "test-model", "content": []any{},
		"usage": map[string]any{"input_tokens": s.Usage.Input, "output_tokens": 1},
	}})}
	index := 0
	if len(s.Text) > 0 {
		out = append(out, event("content_block_start", map[string]any{"index": index, "content_block": map[string]any{"type": "text", "text": ""}}))
		out = append(out, event("ping", map[string]any{}))
		for _, t := range s.Text {
			out = append(out, event("content_block_delta", map[string]any{"index": index, "delta": map[string]any{"type": "text_delta", "text": t}}))
		}
		out = append(out, event("content_block_stop", map[string]any{"index": index}))
		index++
	}
	for _, c := range s.Calls {
		out = append(out, event("content_block_start", map[string]any{"index": index, "content_block": map[string]any{
			"type": "tool_use", "id": c.ID, "name": c.Name, "input": map[string]any{},
		}}))
		for _, a := range append([]string{""}, c.Args...) {
			out = append(out, event("content_block_delta", map[string]any{"index": index, "delta": map[string]any{"type": "input_json_delta", "partial_json": a}}))
		}
		out = append(out, event("content_block_stop", map[string]any{"index": index}))
		index++
	}
	reason := map[model.Stop]string{
		model.StopEnd: "end_turn", model.StopTools: "tool_use", model.StopLength: "max_tokens",
	}[s.Stop]
	out = append(out, event("message_delta", map[string]any{
		"delta": map[string]any{"stop_reason": reason, "stop_sequence": nil},
		"usage": map[string]any{"output_tokens": s.Usage.Output},
	}))
	return append(out, event("message_stop", map[string]any{}))
}

func errorBody(message string) string {
	return fmt.Sprintf(`{"type":"error","error":{"type":"overloaded_error","message":%q}}`, message)
}

func make1(cfg model.Config) (model.Model, error) {
	m, err := New(cfg)
	if err != nil {
		return nil, err
	}
	return m, nil
}

func TestSuite(t *testing.T) {
	modeltest.Run(t, modeltest.Wire{
		New: make1, Path: "/v1/messages", Frames: frames,
		ErrorFrame: func(m string) string { return "event: error\ndata: " + errorBody(m) + "\n\n" },
		ErrorBody:  errorBody,
		HasKey: func(r *http.Request, key string) bool {
			return r.Header.Get("X-Api-Key") == key && r.Header.Get("Anthropic-Version") != ""
		},
	})
}

// TestRequest holds what goes over the wire, and that nothing is taken from the
// environment.
func TestRequest(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "from-the-environment")
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "from-the-environment")
	t.Setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1/")
	var body []byte
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		for k, v := range r.Header {
			if strings.Contains(strings.Join(v, " "), "from-the-environment") {
				t.Errorf("header %s: %v", k, v)
			}
		}
		body, _ = io.ReadAll(r.Body)
		modeltest.Stream(rw, frames(modeltest.Script{Text: []string{"x"}, Stop: model.StopEnd})...)
	}))
	defer srv.Close()
	m, err := New(model.Config{BaseURL: srv.URL, Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Stream(t.Context(), model.Request{
		System: "be good",
		Messages: []model.Message{
			{Role: model.User, Text: "list"},
			{Role: model.Assistant, Text: "yes", Calls: []model.Call{{ID: "a", Name: "ls", Args: `{"path":"."}`}, {ID: "b", Name: "ls", Args: `{"pa`}}},
			{Role: model.User, Results: []model.Result{{CallID: "a"}, {CallID: "b", Text: "bad", IsError: true}}},
			{Role: model.Assistant},
		},
		Tools: []model.Tool{{Name: "ls", Description: "lists", Parameters: map[string]any{
			"type": "object", "properties": map[string]any{"path": map[string]any{"type": "string"}},
			"required": []string{"path"}, "additionalProperties": false,
		}}},
	}, func(model.Event) {})
	if err != nil {
		t.Fatal(err)
	}
	type block struct {
		Type, Text, ID, Name string
		ToolUseID            string `json:"tool_use_id"`
		IsError              bool   `json:"is_error"`
		Input                map[string]any
		Content              []struct{ Text string }
	}
	var got struct {
		Stream    bool
		MaxTokens int `json:"max_tokens"`
		System    []block
		Messages  []struct {
			Role    string
			Content []block
		}
		Tools []struct {
			Name   string
			Schema map[string]any `json:"input_schema"`
		}
	}
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	if !got.Stream || got.MaxTokens == 0 || len(got.System) != 1 || got.System[0].Text != "be good" || len(got.Messages) != 3 {
		t.Fatalf("request %s", body)
	}
	asst, results := got.Messages[1].Content, got.Messages[2].Content
	switch {
	case len(asst) != 3 || asst[1].Input["path"] != "." || len(asst[2].Input) != 0:
		t.Errorf("assistant %+v", asst)
	case len(results) != 2 || results[0].ToolUseID != "a" || results[0].Content[0].Text == "" || !results[1].IsError:
		t.Errorf("results %+v", results)
	case got.Tools[0].Schema["type"] != "object" || got.Tools[0].Schema["required"] == nil || got.Tools[0].Schema["additionalProperties"] != false:
		t.Errorf("schema %v", got.Tools[0].Schema)
	}
}

// TestWholeInput takes a call whose input stands in its first event.
func TestWholeInput(t *testing.T) {
	f := frames(modeltest.Script{Stop: model.StopTools})
	f = append(f[:1:1], append([]string{
		event("content_block_start", map[string]any{"index": 0, "content_block": map[string]any{
			"type": "tool_use", "id": "a", "name": "ls", "input": map[string]any{"path": "."},
		}}),
		event("content_block_stop", map[string]any{"index": 0}),
	}, f[1:]...)...)
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/messages" {
			t.Errorf("request to %s", r.URL.Path)
		}
		modeltest.Stream(rw, f...)
	}))
	defer srv.Close()
	m, err := New(model.Config{BaseURL: srv.URL + "/v1/", Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	r, _, err := modeltest.Ask(t, m)
	if err != nil || len(r.Calls) != 1 || r.Calls[0].Args != `{"path":"."}` {
		t.Errorf("reply %+v, error %v", r, err)
	}
}
