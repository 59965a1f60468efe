// Package model says what the agent's loop needs of a language model, and
// nothing of any one provider: messages and tools go in, streamed text and tool
// calls come out. The providers (pkg/agent/openai, pkg/agent/anthropic) and the
// scripted model (pkg/agent/scripted) stand in packages of their own, so that a
// program links only what it uses.
package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Model is a language model. Safe for concurrent use.
type Model interface {
	// Name is the model's name, for people.
	Name() string
	// Stream runs one model turn. It calls emit, in order and on the caller's
	// goroutine, for what arrives, and returns the whole reply at its end. It
	// returns at once when ctx ends. With an error the reply holds the text
	// that had arrived, for showing, and never a tool call: what was received
	// by half is not to be executed.
	Stream(ctx context.Context, req Request, emit func(Event)) (Reply, error)
}

// Request is what a model is asked with.
type Request struct {
	// System is the standing instruction; "" for none.
	System string
	// Messages is the conversation, oldest first.
	Messages []Message
	// Tools are what the model may call.
	Tools []Tool
}

// Role is whose message it is.
type Role string

// The roles. Tool results come in a User message.
const (
	User      Role = "user"
	Assistant Role = "assistant"
)

// Message is one message of the conversation.
type Message struct {
	Role Role
	Text string
	// Calls are an assistant's tool calls, in order.
	Calls []Call
	// Results answer the calls of the assistant message before, one each and in
	// the same order.
	Results []Result
}

// Call is a tool call of the model.
type Call struct {
	// ID ties the result to the call.
	ID   string
	Name string
	// Args is the JSON text of the arguments, as the model wrote it: see
	// [Call.Input].
	Args string
}

// Input decodes the arguments. An empty text is an empty object; anything but
// one JSON object is an error, and the call must then not be executed.
func (c Call) Input() (map[string]any, error) {
	if strings.TrimSpace(c.Args) == "" {
		return map[string]any{}, nil
	}
	var in map[string]any
	if err := json.Unmarshal([]byte(c.Args), &in); err != nil {
		return nil, fmt.Errorf("the arguments are not a JSON object: %w", err)
	}
	if in == nil {
		return nil, errors.New("the arguments are null, not a JSON object")
	}
	return in, nil
}

// Result is what a tool call came to, for the model.
type Result struct {
	CallID  string
	Text    string
	IsError bool
}

// Tool describes a tool to the model.
type Tool struct {
	Name        string
	Description string
	// Parameters is the JSON Schema of the arguments.
	Parameters map[string]any
}

// Event is a piece of a reply as it arrives.
type Event struct {
	// Text is a piece of the reply's text.
	Text string
	// Calling is the name of a tool whose call has begun to arrive.
	Calling string
	// Notice is something that the person should know ("busy; trying again").
	Notice string
}

// Reply is a model's whole reply.
type Reply struct {
	Text  string
	Calls []Call
	Stop  Stop
	Usage Usage
}

// Stop says why a reply ended.
type Stop string

// The reasons. Every other word of a provider becomes StopOther.
const (
	StopEnd    Stop = "end"
	StopTools  Stop = "tools"
	StopLength Stop = "length"
	StopFilter Stop = "filter"
	StopOther  Stop = "other"
)

// Usage counts tokens. Zero where the server did not say.
type Usage struct {
	Input, Output int64
}
