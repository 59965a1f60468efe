package model

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

const says = `"Please ` + Marker + ` now."`

// Each protocol's first and second request of a conversation, as an agent sends
// them, cut down to what is read.
var protocols = []struct {
	name, path, first, second, call, end string
}{
	{
		name: "messages", path: "/v1/messages",
		first:  `{"stream":STREAM,"tools":TOOLS,"messages":[{"role":"user","content":[{"type":"text","text":` + says + `}]}]}`,
		second: `{"stream":STREAM,"tools":TOOLS,"messages":[{"role":"user","content":` + says + `},{"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"it ran"}]}]}]}`,
		call:   `"type":"tool_use"`, end: `"stop_reason":"end_turn"`,
	},
	{
		name: "responses", path: "/v1/responses",
		first:  `{"stream":STREAM,"tools":TOOLS,"input":[{"type":"message","content":[{"type":"input_text","text":` + says + `}]}]}`,
		second: `{"stream":STREAM,"tools":TOOLS,"input":[{"type":"message","content":` + says + `},{"type":"function_call_output","output":"it ran"}]}`,
		call:   `"type":"function_call"`, end: `"type":"output_text"`,
	},
	{
		name: "completions", path: "/v1/chat/completions",
		first:  `{"stream":STREAM,"tools":TOOLS,"messages":[{"role":"user","content":` + says + `}]}`,
		second: `{"stream":STREAM,"tools":TOOLS,"messages":[{"role":"user","content":` + says + `},{"role":"tool","content":"it ran"}]}`,
		call:   `"finish_reason":"tool_calls"`, end: `"finish_reason":"stop"`,
	},
	{
		name: "generate", path: "/v1beta/models/any:GENERATE",
		first:  `{"tools":TOOLS,"contents":[{"role":"user","parts":[{"text":` + says + `}]}]}`,
		second: `{"tools":TOOLS,"contents":[{"role":"user","parts":[{"text":` + says + `}]},{"role":"user","parts":[{"functionResponse":{"response":{"output":"it ran"}}}]}]}`,
		call:   `"functionCall"`, end: `"text":"done"`,
	},
}

func post(t *testing.T, s *Server, path, body, tools, stream string) string {
	t.Helper()
	verb := "generateContent"
	if stream == "true" {
		verb = "streamGenerateContent"
	}
	body = strings.NewReplacer("STREAM", stream, "TOOLS", tools).Replace(body)
	r, err := http.Post(s.URL()+strings.Replace(path, "GENERATE", verb, 1), "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("status %d, %v: %s", r.StatusCode, err, data)
	}
	return string(data)
}

func TestTheScriptIsPlayedInEveryProtocol(t *testing.T) {
	const tools = `[{"name":"touch","function":{"name":"touch"},"functionDeclarations":[{"name":"touch"}]}]`
	for _, p := range protocols {
		for _, stream := range []string{"true", "false"} {
			t.Run(p.name+"/"+stream, func(t *testing.T) {
				s := New(t.TempDir())
				defer s.Close()
				before := 0
				s.Play([]Call{{Tool: "touch", Args: map[string]any{"file": "a"}, Before: func() { before++ }}})

				// A request beside the conversation does not move the script.
				if got := post(t, s, p.path, p.first, "[]", stream); strings.Contains(got, p.call) {
					t.Errorf("a call for a request without tools: %s", got)
				}
				for range 2 {
					got := post(t, s, p.path, p.first, tools, stream)
					if !strings.Contains(got, p.call) || !strings.Contains(got, "touch") {
						t.Errorf("no call: %s", got)
					}
				}
				if before != 1 {
					t.Errorf("Before ran %d times", before)
				}
				if got := post(t, s, p.path, p.second, tools, stream); !strings.Contains(got, p.end) {
					t.Errorf("no end: %s", got)
				}
				if got := s.Results(); len(got) != 1 || got[0] != "it ran" {
					t.Errorf("results %q", got)
				}
				if got := s.Tools(); len(got) != 1 || got[0] != "touch" {
					t.Errorf("tools %q", got)
				}
			})
		}
	}
}
