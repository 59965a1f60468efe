package install

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"mayi/internal/nearest"
)

// agent is what the installer knows of one coding agent.
type agent struct {
	name, title string
	// programs are the names by which it is started.
	programs []string
	// folder is where its settings are.
	folder func(Places) string
	// targets are the files to edit in a scope; nil where it has no such scope.
	targets func(Places, Scope) []target
	// scopes lists those for which targets gives some.
	scopes []Scope
	// guarded is the agent's time limit in seconds where it lets a call run after
	// it; see [Places.command].
	guarded int
	// expands: it puts variables into the texts of its settings.
	expands bool
	// events are what the hook is installed for, the deciding one first.
	events []string
	// probes are the payloads by which the installed hook is tried.
	probes func(Places) []probe
	// read says what the agent makes of the hook's answer to an event.
	read func(event string, a answer) (blocked bool, said string)
	// off finds what switches the hooks off again.
	off func(Places) []string
	// blind lists what its hooks do not see, or how they can be got round.
	blind []string
	// confirm finds out whether the agent itself will run the hook of a scope;
	// ok is false where there is nothing to find out.
	confirm func(Places, Scope) (out Proof, ok bool)
	// prove replaces the payloads through a shell; nil for all but a few.
	prove func(p Places, in []installed) []Proof
}

// target is one file with what is wanted in it.
type target struct {
	file string
	edit edit
	// must: mayi does not make the file; without it the agent is not set up.
	must bool
}

// installed is one command line of mayi's in one file.
type installed struct{ file, command string }

// agents lists all, in the order in which they are shown.
func agents() []agent {
	return []agent{claudeCode(), codex(), gemini(), qwen(), cursor(), copilot(), opencode(), crush(), picoclaw()}
}

// Names lists the agents that can be installed for.
func Names() []string {
	var out []string
	for _, a := range agents() {
		out = append(out, a.name)
	}
	return out
}

func find(name string) (agent, error) {
	for _, a := range agents() {
		if a.name == name {
			return a, nil
		}
	}
	err := fmt.Errorf("the agent %q is not known", name)
	meant := nearest.Word(name, Names())
	for _, a := range agents() {
		if slices.Contains(a.programs, name) {
			meant = a.name
		}
	}
	if meant != "" {
		return agent{}, fmt.Errorf("%w; did you mean %s?", err, meant)
	}
	return agent{}, fmt.Errorf("%w; known are %s", err, strings.Join(Names(), ", "))
}

// Found says where an agent was found on this machine.
type Found struct {
	// Program is its program's path, Folder its settings folder; "" where
	// there is none.
	Program string `json:"program,omitempty"`
	Folder  string `json:"folder,omitempty"`
}

// Any reports whether there is a trace of the agent.
func (f Found) Any() bool { return f.Program != "" || f.Folder != "" }

func (a agent) find(p Places) Found {
	var f Found
	for _, name := range a.programs {
		if path, err := exec.LookPath(name); err == nil {
			f.Program = path
			break
		}
	}
	if dir := a.folder(p); dir != "" {
		if st, err := os.Stat(dir); err == nil && st.IsDir() {
			f.Folder = dir
		}
	}
	return f
}

func (a agent) scope(p Places, s Scope) ([]target, error) {
	for _, have := range a.scopes {
		if have != s {
			continue
		}
		if s == Project && p.Workspace == "" {
			return nil, fmt.Errorf("there is no project here: change into one, or name it with --workspace")
		}
		if s == Managed && runtime.GOOS != "linux" {
			return nil, fmt.Errorf("mayi knows the place of managed settings on Linux alone")
		}
		if s == User && p.Home == "" {
			return nil, fmt.Errorf("there is no home to install in: set HOME")
		}
		return a.targets(p, s), nil
	}
	return nil, fmt.Errorf("%s has no %s scope that mayi can install in; it has %s", a.title, s, join(a.scopes))
}

func join(scopes []Scope) string {
	out := ""
	for i, s := range scopes {
		if i > 0 {
			out += ", "
		}
		out += string(s)
	}
	return out
}
