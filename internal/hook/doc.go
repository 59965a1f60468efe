// Package hook answers the hooks of coding agents: an agent that is about to
// call a tool sends the call, and the gate's decision goes back in that agent's
// own words.
//
//	bytes → agent.read → Call → gate.Decide → (ask) → Outcome → agent.write → bytes
//
// One small file for each agent translates and decides nothing. What is common
// to all of them, from reading the bytes to the answer, is done once, here.
// Whatever goes wrong (input that cannot be read, a panic, a time limit) is
// answered with a deny in the agent's own format and with the exit code that
// this agent takes for one: most agents let a call run when a hook breaks.
//
// An agent's own write and edit tools count as the built-in ones: the agent
// names them to its hooks, and no model and no MCP server can put another tool
// under that name. A tool of an MCP server never does, whatever it is called.
// A tool that is not known counts as one of a server with the agent's name, so
// that mcp(AGENT.TOOL) and tools.AGENT.TOOL.effects can speak of it.
//
// The package is on the start path of every tool call of every agent. It opens
// no database: what it needs of one is in [Door].
package hook
