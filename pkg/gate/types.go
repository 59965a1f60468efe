package gate

import (
	"mayi/pkg/effects"
	"mayi/pkg/permissions"
)

// Request is a tool call that wants to be decided.
type Request struct {
	// Session separates grants and answers from one another; "" is a session
	// of its own that remembers nothing.
	Session string
	// Caller says who asks, for the record: "run", "chat", "hook claude-code".
	Caller string
	// Remote: the caller is a gateway, RPC or MCP client.
	Remote bool
	// Confines: whoever runs the call can confine it and begins it with
	// [Gate.BeginConfined]. The decision may then rest on that, where the
	// settings' sandbox is not off.
	Confines bool
	Tool     permissions.Tool
	Input    map[string]any
	// Cwd is the absolute working directory of the call; "" is the gate's.
	Cwd string
	// Env is the environment that the call would run in, where it differs from
	// the gate's.
	Env map[string]string
	// Foreign is what the server of a third-party tool says about it, nil where
	// that is not known.
	Foreign *effects.Foreign
}

// Verdict is a decision about one call, with what it was made from.
type Verdict struct {
	permissions.Decision
	Request Request
	Call    permissions.Call
	// Hash is the hash of the exact call: tool, input, working directory.
	Hash string
	// Policy is the version of the policy that decided.
	Policy string
	// Text is the call on one line, for people: the command, or tool and
	// arguments. Raw; show it through approval.Visible.
	Text string
	// Answered says what a person answered, where one was asked.
	Answered string
}
