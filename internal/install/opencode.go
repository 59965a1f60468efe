package install

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

//go:embed plugin.js
var pluginText string

//go:embed plugintry.mjs
var pluginTry string

func opencode() agent {
	const name = "opencode"
	folder := func(p Places) string { return p.env("OPENCODE_CONFIG_DIR", under(p.ConfigHome, "opencode")) }
	return agent{
		name: name, title: "opencode", programs: []string{"opencode"}, folder: folder,
		scopes: []Scope{User, Project},
		targets: func(p Places, s Scope) []target {
			file := map[Scope]string{User: under(folder(p), "plugins", "mayi.js"), Project: p.project(".opencode", "plugins", "mayi.js")}[s]
			return []target{{file: file, edit: whole{plugin(p.Program), pluginProgram}}}
		},
		events: []string{"tool.execute.before"},
		prove:  provePlugin,
		off:    func(Places) []string { return nil },
		blind: []string{
			"`opencode run --pure` (OPENCODE_PURE) loads no plugin.",
			"opencode starts without a plugin that it cannot load, and says nothing: `mayi doctor` loads it.",
			"The plugins of a repository are loaded without a question and run as you: no hook sees what a plugin does by itself.",
			"What mayi would ask waits in `mayi approvals`, since a plugin has no question of its own.",
		},
	}
}

// plugin is the plugin's text for a program.
func plugin(program string) []byte {
	quoted, err := json.Marshal(program)
	if err != nil {
		quoted = []byte(`""`)
	}
	// A little longer than mayi itself takes.
	patience := itoa(1000 * (seconds("opencode") + 5))
	return []byte(strings.NewReplacer(`"@PROGRAM@"`, string(quoted), "@PATIENCE@", patience).Replace(pluginText))
}

// pluginProgram is the program that a plugin of mayi's calls.
func pluginProgram(text []byte) string {
	if !strings.HasPrefix(string(text), "// mayi's plugin for opencode") {
		return ""
	}
	m := regexp.MustCompile(`(?m)^const program = (".*")\r?$`).FindSubmatch(text)
	var program string
	if m == nil || json.Unmarshal(m[1], &program) != nil {
		return ""
	}
	return program
}

// provePlugin loads the installed plugin as opencode does, where there is a
// program to do it with.
func provePlugin(p Places, in []installed) []Proof {
	var out []Proof
	for _, i := range in {
		out = append(out, proveOnePlugin(p, i.file)...)
	}
	if len(out) == 0 {
		out = append(out, Proof{Name: "the plugin", Text: "no plugin of mayi's is installed"})
	}
	return out
}

func proveOnePlugin(p Places, file string) []Proof {
	runtime := ""
	for _, name := range []string{"bun", "node"} {
		if path, err := exec.LookPath(name); err == nil {
			runtime = path
			break
		}
	}
	text, _, err := readFile(file)
	if err != nil || text == nil {
		return []Proof{{Name: "the plugin", Text: fmt.Sprintf("%s cannot be read: %v", file, err)}}
	}
	program := pluginProgram(text)
	if string(text) != string(plugin(program)) || !sameFile(program, p.Program) {
		return []Proof{notWritten(file, "opencode")}
	}
	if runtime == "" {
		return append([]Proof{{Name: "the plugin loads", Skipped: true, Text: "neither bun nor node is on the PATH to load it with"}},
			provePlainOpencode(p, program)...)
	}
	control := func(p Places) Proof {
		const name = "tool.execute.before: a harmless call passes"
		if p.Control.Asks {
			return untried(name)
		}
		return tryPlugin(p, runtime, text, name, passes, "bash", map[string]any{"command": Harmless})
	}
	missing := strings.Replace(string(text), string(mustJSON(program)), `"/nonexistent/mayi"`, 1)
	return []Proof{
		tryPlugin(p, runtime, text, "tool.execute.before: a forbidden call is denied", blocked, "bash", map[string]any{"command": p.forbidden()}),
		control(p),
		tryPlugin(p, runtime, text, "tool.execute.before: a broken payload is denied", blocked, "", nil),
		tryPlugin(p, runtime, []byte(missing), "tool.execute.before: without mayi the call is denied", blocked, "bash", map[string]any{"command": Harmless}),
	}
}

func mustJSON(s string) []byte {
	b, err := json.Marshal(s)
	if err != nil {
		return []byte(`""`)
	}
	return b
}

func tryPlugin(p Places, runtime string, text []byte, name string, want expected, tool string, args map[string]any) Proof {
	out := Proof{Name: name}
	dir, err := os.MkdirTemp("", "mayi-proof-*")
	if err != nil {
		out.Text = err.Error()
		return out
	}
	defer os.RemoveAll(dir)
	file, try := filepath.Join(dir, "mayi.mjs"), filepath.Join(dir, "try.mjs")
	for path, content := range map[string][]byte{file: text, try: []byte(pluginTry)} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			out.Text = err.Error()
			return out
		}
	}
	input, err := json.Marshal(args)
	if err != nil {
		out.Text = err.Error()
		return out
	}
	a, err := run(p.Cwd, []string{runtime, try, file, p.Cwd, tool, string(input)}, nil)
	if err != nil {
		out.Text = err.Error()
		return out
	}
	var did struct {
		Stage string `json:"stage"`
		Ran   bool   `json:"ran"`
		Text  string `json:"text"`
	}
	if !a.object(&did) {
		out.Text = "the plugin could not be tried: " + a.by()
		return out
	}
	if did.Stage == "load" {
		out.Text = "the plugin does not load: " + did.Text
		return out
	}
	return p.judge(name, want, !did.Ran, first(did.Text, "no objection"))
}

// provePlainOpencode asks the program that the plugin would ask.
func provePlainOpencode(p Places, program string) []Proof {
	call := func(command string) any {
		return map[string]any{"tool": "bash", "sessionID": proofSession, "callID": "proof", "cwd": p.Cwd, "args": map[string]any{"command": command}}
	}
	read := func(_ string, a answer) (bool, string) {
		var o struct {
			Decision string `json:"decision"`
			Reason   string `json:"reason"`
		}
		return a.code != 0 || !a.object(&o) || o.Decision != "allow", first(o.Reason, a.by())
	}
	command := quote(program) + " hook opencode"
	const event = "tool.execute.before"
	pass := passed(event, call(Harmless))
	control := untried(pass.name)
	if !p.Control.Asks {
		control = try(p, command, pass, read)
	}
	return []Proof{try(p, command, denied(event, call(p.forbidden())), read), control, try(p, command, broken(event), read)}
}
