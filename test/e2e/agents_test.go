package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"

	"mayi/test/e2e/model"
)

// agent is what differs between the programs that are driven.
type agent struct {
	name    string // as mayi calls it
	program string // as it is found on PATH
	// start is the command line of the installed program.
	start func(modules string) []string
	// configure writes the agent's own settings: the model, the MCP server, and
	// that it asks nobody, so that what is refused is refused by mayi.
	configure func(w *world)
	args      func(w *world) []string
	env       func(w *world) []string

	shell func(command string) model.Call
	read  func(path string) model.Call
	write func(path, content string) model.Call
	mcp   func(tool, text string) model.Call

	// rewrites says that its hook may change a command, so that what is allowed
	// runs confined.
	rewrites bool
}

// prompt is what the agents are told.
const prompt = "Please " + model.Marker + " now."

var agents = []*agent{claudeCode, codex, opencode, gemini, qwen, copilot}

func arch() string {
	if runtime.GOARCH == "amd64" {
		return "x64"
	}
	return runtime.GOARCH
}

func node(modules string) string {
	return filepath.Join(modules, "node_modules", "node-linux-"+arch(), "bin", "node")
}

// probeCommand starts the MCP server of this test.
func (w *world) probeCommand() []string {
	self, err := os.Executable()
	must(w.t, err)
	return []string{self, probeArg, w.probe}
}

// json writes values as a JSON file.
func (w *world) json(name string, values map[string]any) {
	w.t.Helper()
	data, err := json.MarshalIndent(values, "", "  ")
	must(w.t, err)
	w.write(name, string(data)+"\n")
}

func call(tool string, args map[string]any) model.Call { return model.Call{Tool: tool, Args: args} }
