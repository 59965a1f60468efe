package hook

import (
	"slices"
	"time"

	"mayi/pkg/config"
	"mayi/pkg/permissions"
)

// Names lists the agents that have a translator, in the order of the docs.
func Names() []string {
	return []string{"claude-code", "codex", "gemini", "qwen", "cursor", "copilot", "opencode", "crush", "picoclaw", "generic"}
}

// Limit is the time limit, to be written into the agent's settings, under which
// its hook answers by itself; 0 for a name that is not known.
func Limit(name string) time.Duration { return find(name).limit }

// Stays reports whether the agent's hook is one process for many calls, which
// reads its input as it comes.
func Stays(name string) bool { return name == "picoclaw" }

// agent is one translator.
type agent struct {
	name string
	// limit is how long the agent waits before it goes on without an answer.
	limit time.Duration
	// read makes a call of the payload. An error is answered with a deny.
	read func(in map[string]any, at around) (call, error)
	// write is the answer in the agent's own words. The call is the zero value
	// where there was none.
	write func(c *call, o outcome) reply
	// prompts reports whether the agent itself asks the person when it is
	// answered "ask" to this call; nil is never.
	prompts func(c *call) bool
	// attended reports whether somebody may be there whom it could ask; alone
	// tells what is known of that from outside of it. nil is always.
	attended func(c *call, alone func() bool, s config.HooksConfig) bool
	// rewrites reports whether the answer may replace the call's command; nil
	// is never.
	rewrites func(c *call) bool
	// wanders: a call names its own folder, and not always the agent's.
	wanders bool
	// tracks: a cd in a command holds for the agent's next one.
	tracks bool
}

// around is where the hook's process runs.
type around struct {
	env map[string]string
	cwd string
}

// find returns the translator of that name, the zero agent for none.
func find(name string) agent {
	switch name {
	case "claude-code":
		return claudeCode()
	case "codex":
		return codex()
	case "gemini":
		return gemini()
	case "qwen":
		return qwen()
	case "cursor":
		return cursor()
	case "copilot":
		return copilot()
	case "opencode":
		return opencode()
	case "crush":
		return crush()
	case "picoclaw":
		return picoclaw()
	case "generic":
		return generic()
	}
	return agent{}
}

// kind is what the agent wants to know.
type kind uint8

const (
	// before: the call runs unless it is refused. The zero value.
	before kind = iota
	// question: the agent is about to ask the person.
	question
	// change: the agent's settings have changed.
	change
	// other: nothing that could be refused.
	other
)

// beside takes an event for one that asks nothing: those that come after a tool,
// and those without one. A name that is not known, with a tool, may be a new
// one for what comes before, and the call is decided.
func (c *call) beside(in map[string]any, after ...string) {
	_, tool := in["tool_name"]
	if _, input := in["tool_input"]; !tool && !input || slices.Contains(after, c.event) {
		c.kind = other
	}
}

// call is what a payload says.
type call struct {
	kind kind
	// event is the event as the agent names it, for the answer.
	event string
	// id is the request's name, where the agent gives one.
	id string
	// session is the agent's session; "" remembers nothing.
	session string
	// cwd is the call's working directory, root the folder that the agent was
	// started in or for; both absolute. A cwd may be of the model's choosing,
	// so that the workspace is looked for from root.
	cwd, root string
	// override is a session's settings, of a generic request.
	override []byte
	// workspace is the workspace's root where the caller names it.
	workspace string

	tool  permissions.Tool
	input map[string]any
	// also are other readings of a name that could be split in several ways.
	also []permissions.Tool
	// command is the shell command, and raw with key where it stands in the
	// agent's own input.
	command string
	raw     map[string]any
	key     string
	// wrong says what makes it a call that nobody can decide; "" is nothing.
	wrong string
	// attended: a person sits in front of the agent.
	attended bool
	// twice: the call comes a second time, in an event of its own.
	twice bool
	// undecided: an allow is not enough for what the agent asks about.
	undecided bool
	// plan: the agent is in a mode in which it only looks.
	plan bool
}

// outcome is what goes back.
type outcome struct {
	verdict permissions.Verdict
	// reason is never empty unless the call is allowed.
	reason string
	// person is the reason in words for the person.
	person string
	// command replaces the call's command; "" leaves it.
	command string
	// note is for the model, beside an allowed call.
	note string
	// silent: there is no opinion; the agent goes on as it would without us.
	silent bool
	// decision is the whole of it, for the generic answer.
	decision any
}

// reply is an answer in the agent's words.
type reply struct {
	stdout any
	stderr string
	exit   int
}
