package tools

import (
	"context"

	"mayi/pkg/gate"
)

// Tool is something that an agent can call. Execute is safe for concurrent
// use and never returns nil.
type Tool interface {
	// Name is the word that the model calls the tool by.
	Name() string
	// Description tells the model what the tool does.
	Description() string
	// Parameters is the JSON Schema of the arguments.
	Parameters() map[string]any
	// Execute runs the tool. Arguments are those of Parameters.
	Execute(ctx context.Context, args map[string]any) *ToolResult
}

// Prompted is implemented by tools that say where in a system prompt they
// want to be described.
type Prompted interface {
	PromptMetadata() PromptMetadata
}

// Documented is implemented by tools that say where they stand in the tools'
// reference and which setting steers them.
type Documented interface {
	// Category groups tools for people: "shell", "files", "web", "permission".
	Category() string
	// ConfigKey is the setting below "tools.", "" where there is none.
	ConfigKey() string
}

// PromptMetadata places a tool's description in a system prompt.
type PromptMetadata struct {
	Layer, Slot, Source string
}

// The places that mayi's own tools name.
const (
	ToolPromptLayerCapability = "capability"
	ToolPromptSlotTooling     = "tooling"
	ToolPromptSourceRegistry  = "tool_registry:native"
)

// ToolResult is what a call came to.
type ToolResult struct {
	// ForLLM is what the model is told.
	ForLLM string
	// ForUser is what the person is told; "" where the model's text will do.
	ForUser string
	// IsError: the call failed or was refused for good. A call that waits for
	// a permission is no error.
	IsError bool
	// Verdict is the decision on the call, nil where none was made.
	Verdict *gate.Verdict
	// Pending: a question to the person stands open; see
	// [RequestPermissionTool.Answer].
	Pending bool
}

// ErrorResult is a failed call; both the model and the person are told msg.
func ErrorResult(msg string) *ToolResult {
	return &ToolResult{ForLLM: msg, ForUser: msg, IsError: true}
}

func textResult(msg string) *ToolResult { return &ToolResult{ForLLM: msg} }

// native is embedded in mayi's own tools.
type native struct{}

func (native) PromptMetadata() PromptMetadata {
	return PromptMetadata{
		Layer:  ToolPromptLayerCapability,
		Slot:   ToolPromptSlotTooling,
		Source: ToolPromptSourceRegistry,
	}
}

// gatesItself marks a tool that takes its calls to the gate on its own, so
// that it is gated however it is called.
func (native) gatesItself() {}

type selfGated interface{ gatesItself() }
