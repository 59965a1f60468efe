package agent

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"mayi/pkg/agent/anthropic"
	"mayi/pkg/agent/model"
	"mayi/pkg/agent/model/modeltest"
	"mayi/pkg/agent/openai"
)

// TestProvidersWithTools runs a whole turn over the wire with the real tools:
// the model calls one, gets its result, and ends. A call that a broken stream
// brought by half is not run.
func TestProvidersWithTools(t *testing.T) {
	openaiCall := `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"%s","arguments":%q}}]}}]}` + "\n\n"
	openaiEnd := `data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n"
	anthropicCall := `event: message_start
data: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c1","name":"%s","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":%q}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

`
	anthropicEnd := `event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"%s"},"usage":{"output_tokens":1}}

event: message_stop
data: {"type":"message_stop"}

`
	for name, p := range map[string]struct {
		call, end, done string
		make            func(model.Config) (model.Model, error)
	}{
		"openai": {
			openaiCall, openaiEnd, `data: {"choices":[{"delta":{"content":"done"},"finish_reason":"stop"}]}` + "\n\n",
			func(c model.Config) (model.Model, error) { return openai.New(c) },
		},
		"anthropic": {
			anthropicCall, fmt.Sprintf(anthropicEnd, "tool_use"),
			strings.Split(anthropicCall, "event: content_block_start")[0] + fmt.Sprintf(anthropicEnd, "end_turn"),
			func(c model.Config) (model.Model, error) { return anthropic.New(c) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			var bodies []string
			replies := []string{
				fmt.Sprintf(p.call, "write", `{"file_path":"a.txt","content":"made"}`) + p.end,
				fmt.Sprintf(p.call, "read", `{"file_path":"a.txt"}`) + p.end,
				p.done,
			}
			half := fmt.Sprintf(p.call, "write", `{"file_path":"half.txt","content":"made"}`)
			srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				b, _ := io.ReadAll(r.Body)
				mu.Lock()
				defer mu.Unlock()
				bodies = append(bodies, string(b))
				if n := len(bodies); n <= len(replies) {
					modeltest.Stream(rw, replies[n-1])
					return
				}
				modeltest.Stream(rw, half)
			}))
			defer srv.Close()
			m, err := p.make(model.Config{BaseURL: srv.URL, Model: "m"})
			if err != nil {
				t.Fatal(err)
			}
			place := newPlace(t, allowLs)
			s, i := place.agent("one", m)
			contains(t, s.turn("go"), "read: made", "")
			valid(t, i.Conversation.History())
			if len(bodies) != 3 || !strings.Contains(bodies[0], `"request_permission"`) || !strings.Contains(bodies[2], "made") {
				t.Errorf("%d requests; the first: %.300s", len(bodies), bodies[0])
			}

			// A call whose stream has no end is not run.
			err = NewConversation(ConversationOptions{Model: m, Tools: toolbox{i.Tools}}).Turn(t.Context(), "again")
			if err == nil || !strings.Contains(err.Error(), "broke off") {
				t.Errorf("a broken stream: %v", err)
			}
			if found, _ := filepath.Glob(filepath.Join(place.ws, "half*")); len(found) != 0 {
				t.Errorf("half a call was run: %v", found)
			}
		})
	}
}
