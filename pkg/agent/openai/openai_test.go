package openai

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

func data(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return "data: " + string(b) + "\n\n"
}

func chunk(delta map[string]any, finish any) string {
	return data(map[string]any{
		"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "test-model",
		"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}},
	})
}

func frames(s modeltest.Script) []string {
	out := []string{chunk(map[string]any{"role": "assistant", "content": ""}, nil)}
	for _, t := range s.Text {
		out = append(out, chunk(map[string]any{"content": t}, nil))
	}
	for i, c := range s.Calls {
		out = append(out, chunk(map[string]any{"tool_calls": []any{map[string]any{
			"index": i, "id": c.ID, "type": "function", "function": map[string]any{"name": c.Name, "arguments": ""},
		}}}, nil))
		for _, a := range c.Args {
			out = append(out, chunk(map[string]any{"tool_calls": []any{map[string]any{
				"index": i, "function": map[string]any{"arguments": a},
			}}}, nil))
		}
	}
	reason := map[model.Stop]string{
		model.StopEnd: "stop", model.StopTools: "tool_calls", model.StopLength: "length",
	}[s.Stop]
	out = append(out, chunk(map[string]any{}, reason))
	out = append(out, data(map[string]any{
		"id": "c1", "object": "chat.completion.chunk", "choices": []any{},
		"usage": map[string]any{"prompt_tokens": s.Usage.Input, "completion_tokens": s.Usage.Output},
	}))
	return append(out, "data: [DONE]\n\n")
}

func make1(cfg model.Config) (model.Model, error) {
	m, err := New(cfg)
	if err != nil {
		return nil, err
	}
	return m, nil
}

func errorBody(message string) string {
	return fmt.Sprintf(`{"error":{"message":%q,"type":"server_error","code":null,"param":null}}`, message)
}

func TestSuite(t *testing.T) {
	modeltest.Run(t, modeltest.Wire{
		New: make1, Base: "/v1", Path: "/v1/chat/completions", Frames: frames,
		ErrorFrame: func(m string) string { return "data: " + errorBody(m) + "\n\n" },
		ErrorBody:  errorBody,
		HasKey: func(r *http.Request, key string) bool {
			return r.Header.Get("Authorization") == "Bearer "+key
		},
	})
}

// serve returns a model whose server streams these frames and stores the body
// of the request.
func serve(t *testing.T, body *[]byte, frames ...string) model.Model {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if body != nil {
			*body, _ = io.ReadAll(r.Body)
		}
		modeltest.Stream(rw, frames...)
	}))
	t.Cleanup(srv.Close)
	m, err := New(model.Config{BaseURL: srv.URL, Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func toolDelta(fields string) string {
	return `data: {"choices":[{"index":0,"delta":{"tool_calls":[` + fields + `]}}]}` + "\n\n"
}

const finish = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"

// TestServersThatDiffer holds what compatible servers do differently.
func TestServersThatDiffer(t *testing.T) {
	two := []modeltest.ScriptCall{
		{ID: "a", Name: "ls", Args: []string{`{}`}},
		{ID: "b", Name: "read", Args: []string{`{"file_path":"x"}`}},
	}
	for name, c := range map[string]struct {
		frames []string
		want   modeltest.Script
	}{
		"no usage, no end marker": {
			[]string{`data: {"choices":[{"delta":{"content":"hi"}}]}` + "\n\n", finish},
			modeltest.Script{Text: []string{"hi"}, Stop: model.StopEnd},
		},
		"no index": {
			[]string{
				toolDelta(`{"id":"a","function":{"name":"ls","arguments":"{}"}}`),
				toolDelta(`{"id":"b","function":{"name":"read","arguments":"{\"file_path\":"}}`),
				toolDelta(`{"function":{"arguments":"\"x\"}"}}`), finish,
			},
			modeltest.Script{Calls: two, Stop: model.StopTools},
		},
		"both in one piece, said stop": {
			[]string{
				toolDelta(`{"index":0,"id":"a","function":{"name":"ls","arguments":"{}"}},{"index":1,"id":"b","function":{"name":"read","arguments":"{\"file_path\":\"x\"}"}}`),
				finish,
			},
			modeltest.Script{Calls: two, Stop: model.StopTools},
		},
		"id and name every time": {
			[]string{
				toolDelta(`{"index":0,"id":"b","function":{"name":"read","arguments":"{\"file_path\""}}`),
				toolDelta(`{"index":0,"id":"b","function":{"name":"read","arguments":":\"x\"}"}}`), finish,
			},
			modeltest.Script{Calls: two[1:], Stop: model.StopTools},
		},
		"no id": {
			[]string{toolDelta(`{"index":0,"function":{"name":"ls","arguments":"{}"}}`), finish},
			modeltest.Script{Calls: []modeltest.ScriptCall{{ID: "call_1", Name: "ls", Args: []string{`{}`}}}, Stop: model.StopTools},
		},
		"comments and blank lines": {
			[]string{": keep-alive\n\n\n\n", `data: {"choices":[{"delta":{"content":"hi"}}]}` + "\r\n\r\n", finish},
			modeltest.Script{Text: []string{"hi"}, Stop: model.StopEnd},
		},
		"a refusal": {
			[]string{`data: {"choices":[{"delta":{"refusal":"I will not."}}]}` + "\n\n", `data: {"choices":[{"delta":{},"finish_reason":"content_filter"}]}` + "\n\n"},
			modeltest.Script{Text: []string{"I will not."}, Stop: model.StopFilter},
		},
		"other choices are not ours": {
			[]string{`data: {"choices":[{"index":1,"delta":{"content":"no"}},{"index":0,"delta":{"content":"hi"}}]}` + "\n\n", finish},
			modeltest.Script{Text: []string{"hi"}, Stop: model.StopEnd},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, _, err := modeltest.Ask(t, serve(t, nil, c.frames...))
			if err != nil {
				t.Fatal(err)
			}
			modeltest.Same(t, r, c.want)
		})
	}
}

// TestRequest holds what goes over the wire.
func TestRequest(t *testing.T) {
	var body []byte
	m := serve(t, &body, `data: {"choices":[{"delta":{"content":"hi"}}]}`+"\n\n", finish)
	_, err := m.Stream(t.Context(), model.Request{
		System: "be good",
		Messages: []model.Message{
			{Role: model.User, Text: "list"},
			{Role: model.Assistant, Text: "yes", Calls: []model.Call{{ID: "a", Name: "ls", Args: `{"path":"."}`}, {ID: "b", Name: "ls", Args: `{"pa`}}},
			{Role: model.User, Results: []model.Result{{CallID: "a", Text: "x"}, {CallID: "b", Text: "bad", IsError: true}}},
		},
		Tools: []model.Tool{{Name: "ls", Description: "lists", Parameters: map[string]any{"type": "object"}}},
	}, func(model.Event) {})
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Model    string
		Stream   bool
		Messages []struct {
			Role       string
			Content    any
			ToolCallID string `json:"tool_call_id"`
			ToolCalls  []struct {
				ID       string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
		Tools []struct {
			Function struct{ Name, Description string }
		}
		StreamOptions map[string]any `json:"stream_options"`
	}
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	var roles []string
	for _, m := range got.Messages {
		roles = append(roles, m.Role)
	}
	if s := strings.Join(roles, " "); s != "system user assistant tool tool" {
		t.Fatalf("roles %s", s)
	}
	calls := got.Messages[2].ToolCalls
	switch {
	case !got.Stream || got.Model != "m" || got.StreamOptions["include_usage"] != true:
		t.Errorf("stream %v, model %q, options %v", got.Stream, got.Model, got.StreamOptions)
	case len(calls) != 2 || calls[0].Function.Arguments != `{"path":"."}` || calls[1].Function.Arguments != `{}`:
		t.Errorf("calls %+v", calls)
	case got.Messages[3].ToolCallID != "a" || got.Messages[4].Content != "error: bad":
		t.Errorf("results %+v", got.Messages[3:])
	case len(got.Tools) != 1 || got.Tools[0].Function.Name != "ls":
		t.Errorf("tools %+v", got.Tools)
	}
}

// TestEnvironment holds that nothing is taken from the environment.
func TestEnvironment(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "from-the-environment")
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/")
	t.Setenv("OPENAI_ORG_ID", "from-the-environment")
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		for k, v := range r.Header {
			if strings.Contains(strings.Join(v, " "), "from-the-environment") {
				t.Errorf("header %s: %v", k, v)
			}
		}
		modeltest.Stream(rw, finish)
	}))
	defer srv.Close()
	m, err := New(model.Config{BaseURL: srv.URL, Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := modeltest.Ask(t, m); err != nil {
		t.Error(err)
	}
}
