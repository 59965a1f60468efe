package server

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"time"

	"mayi/internal/hook"
)

// Prompt says how permission prompts of Claude Code are decided: by the same
// reading of its tools as its hook, under the same gate.
type Prompt struct {
	// Open opens the gate for one call.
	Open func(hook.Place) (*hook.Door, error)
	// Cwd is the working directory of this process, Env its environment by name.
	Cwd string
	Env map[string]string
	// Self is the executable that runs confined commands; "" leaves commands as
	// they are.
	Self string
	// Within bounds how long a prompt may wait for a person.
	Within time.Duration
	// Notify tells the person of a question that waits; nil is nobody.
	Notify func(title, text string)
}

// toDecide is what a prompt may take besides the wait for a person.
const toDecide = 10 * time.Second

// Approve decides one prompt. It is for [Options.Approve].
func (p Prompt) Approve(ctx context.Context, a Approval) Answer {
	payload, err := json.Marshal(map[string]any{
		"hook_event_name": "PreToolUse", "session_id": a.Session, "cwd": p.Cwd,
		"tool_name": a.Tool, "tool_input": a.Input, "tool_use_id": a.ToolUse,
	})
	if err != nil {
		return Answer{Message: "mayi: the prompt cannot be read: " + err.Error()}
	}
	env := make(map[string]string, len(p.Env))
	for k, v := range p.Env {
		env[k] = v
	}
	// The prompt is the agent's question; it is not handed back to be asked again.
	env["CLAUDE_CODE_SESSION_ATTENDED"] = "0"
	var out bytes.Buffer
	_, err = hook.Run(ctx, hook.Options{
		Name: "claude-code", Open: p.Open, Stdin: bytes.NewReader(payload), Stdout: &out, Stderr: io.Discard,
		Env: env, Cwd: p.Cwd, Self: p.Self, Wait: p.Within, Limit: p.Within + toDecide, Notify: p.Notify,
	})
	if err != nil {
		return Answer{Message: "mayi: the call could not be decided: " + err.Error()}
	}
	return read(out.Bytes())
}

// read reads a hook's answer. Anything but a clear allow is a deny.
func read(raw []byte) Answer {
	var r struct {
		Output struct {
			Permission string          `json:"permissionDecision"`
			Reason     string          `json:"permissionDecisionReason"`
			Input      json.RawMessage `json:"updatedInput"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return Answer{Message: "mayi: the call could not be decided: " + err.Error()}
	}
	if r.Output.Permission != "allow" {
		return Answer{Message: r.Output.Reason}
	}
	return Answer{Allow: true, Input: r.Output.Input}
}
