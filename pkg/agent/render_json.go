package agent

import (
	"encoding/json"
	"io"
	"sync"
)

// JSONRenderer writes each event as a line of JSON, for programs. Nothing is
// shortened. Safe for concurrent use.
type JSONRenderer struct {
	mu  sync.Mutex
	enc *json.Encoder
}

// NewJSONRenderer returns a renderer that writes to out.
func NewJSONRenderer(out io.Writer) *JSONRenderer {
	return &JSONRenderer{enc: json.NewEncoder(out)}
}

// jsonEvent is the wire form of an event.
type jsonEvent struct {
	Event   Kind           `json:"event"`
	Text    string         `json:"text,omitempty"`
	Tool    string         `json:"tool,omitempty"`
	Args    map[string]any `json:"args,omitempty"`
	ForLLM  string         `json:"for_llm,omitempty"`
	ForUser string         `json:"for_user,omitempty"`
	IsError bool           `json:"is_error,omitempty"`
	Error   string         `json:"error,omitempty"`
}

// Render implements [Renderer].
func (j *JSONRenderer) Render(ev Event) {
	out := jsonEvent{
		Event: ev.Kind, Text: ev.Text, Tool: ev.Tool, Args: ev.Args,
		ForLLM: ev.Result.ForLLM, ForUser: ev.Result.ForUser, IsError: ev.Result.IsError,
	}
	if ev.Err != nil {
		out.Error = ev.Err.Error()
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	// A reader that has gone away is no reason to stop the conversation.
	_ = j.enc.Encode(out)
}
