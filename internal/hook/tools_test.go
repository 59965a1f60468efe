package hook

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"mayi/pkg/effects"
	"mayi/pkg/permissions"
	"mayi/pkg/shell"
	"mayi/pkg/shell/knowledge"
)

// TestToolsHaveTheirEffects: each line of testdata/tools.txtar is a tool with its
// input in /ws, and after the arrow what the call would do. A tool of a server
// is named first.
func TestToolsHaveTheirEffects(t *testing.T) {
	a, err := txtar.ParseFile("testdata/tools.txtar")
	if err != nil {
		t.Fatal(err)
	}
	analyzer := shell.New(knowledge.Load())
	seen := map[string]bool{}
	for _, f := range a.Files {
		seen[f.Name] = true
		for line := range strings.Lines(string(f.Data)) {
			call, want, ok := strings.Cut(strings.TrimSpace(line), " → ")
			if !ok {
				continue
			}
			name, input, _ := strings.Cut(call, " ")
			if got := does(t, analyzer, f.Name, name, input); got != want {
				t.Errorf("%s: %s → %s\nwant %s", f.Name, call, got, want)
			}
		}
	}
	for _, name := range Names() {
		if !seen[name] && name != "generic" {
			t.Errorf("testdata/tools.txtar has no tools of %s", name)
		}
	}
}

// does says what a call would do, one word for each effect.
func does(t *testing.T, analyzer *shell.Analyzer, agent, tool, input string) string {
	t.Helper()
	var raw map[string]any
	if err := json.Unmarshal([]byte(input), &raw); err != nil {
		t.Fatalf("%s %s: %v", agent, input, err)
	}
	var in map[string]any
	switch agent {
	case "copilot":
		in = map[string]any{"sessionId": "s", "cwd": "/ws", "toolName": tool, "toolArgs": raw}
	case "opencode":
		in = map[string]any{"sessionID": "s", "cwd": "/ws", "tool": tool, "args": raw}
	case "picoclaw":
		in = map[string]any{"tool": tool, "arguments": raw}
	case "crush":
		in = map[string]any{"event": "PreToolUse", "cwd": "/ws", "tool_name": tool, "tool_input": raw}
	case "gemini":
		in = map[string]any{"hook_event_name": "BeforeTool", "cwd": "/ws", "tool_name": tool, "tool_input": raw}
	case "cursor":
		in = map[string]any{"hook_event_name": "preToolUse", "cwd": "/ws", "tool_name": tool, "tool_input": raw}
	default:
		in = map[string]any{"hook_event_name": "PreToolUse", "cwd": "/ws", "tool_name": tool, "tool_input": raw}
	}
	c, err := find(agent).read(in, around{cwd: "/ws"})
	if err != nil {
		return "error: " + err.Error()
	}
	if c.wrong != "" {
		return "refused: " + c.wrong
	}
	call := effects.Of(effects.Request{Tool: c.tool, Input: c.input, Cwd: c.cwd, Home: "/home/dev", User: "dev"}, analyzer)
	var out []string
	if c.tool.Server != "" {
		out = append(out, c.tool.Server+"."+c.tool.Name+":")
	} else if !c.tool.Builtin {
		out = append(out, "? "+c.tool.Name+":")
	}
	for _, e := range call.Effects {
		word := e.Kind.String()
		switch {
		case e.Path != "":
			word += ":" + e.Path
		case e.Host != "":
			word += ":" + e.Host
		}
		if e.Recursive {
			word += "/**"
		}
		out = append(out, word)
	}
	for _, tool := range c.also {
		out = append(out, "or "+tool.Server+"."+tool.Name)
	}
	return strings.Join(out, " ")
}

// TestAnMCPToolIsNeverABuiltinOne, whatever it is called and however its server is.
func TestAnMCPToolIsNeverABuiltinOne(t *testing.T) {
	names := []string{"write", "edit", "Write", "bash", "Bash", "read_file", "apply_patch", "multi_edit", "run_shell_command", "create"}
	for _, agent := range Names() {
		for _, name := range names {
			joined := "mcp__srv__" + name
			switch agent {
			case "gemini", "crush", "picoclaw":
				joined = "mcp_srv_" + name
			case "copilot":
				joined = "srv-" + name
			case "opencode":
				joined = "srv_" + name
			case "cursor":
				joined = "MCP:" + name
			case "generic":
				continue
			}
			raw := map[string]any{"command": "touch a", "file_path": "a", "path": "a", "filePath": "a"}
			in := map[string]any{
				"hook_event_name": "PreToolUse", "cwd": "/ws", "tool_name": joined, "tool_input": raw,
				"tool": joined, "args": raw, "arguments": raw,
			}
			switch agent {
			case "gemini":
				in["hook_event_name"] = "BeforeTool"
			case "cursor":
				in["hook_event_name"] = "preToolUse"
			case "copilot":
				in = map[string]any{"cwd": "/ws", "toolName": joined, "toolArgs": raw}
			}
			c, err := find(agent).read(in, around{cwd: "/ws"})
			if err != nil || c.tool.Builtin || c.tool.Server == "" || c.command != "" {
				t.Errorf("%s: %s is %+v (%v)", agent, joined, c.tool, err)
			}
		}
	}
}

// TestEveryDeclaredToolIsKnown: what the programs declare to the model and what
// is left unknown here on purpose.
func TestEveryDeclaredToolIsKnown(t *testing.T) {
	a, err := txtar.ParseFile("testdata/declared.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Files {
		agent, _, _ := strings.Cut(f.Name, " ")
		unknown := strings.HasSuffix(f.Name, " unknown")
		for _, name := range strings.Fields(string(f.Data)) {
			var c call
			raw := map[string]any{"command": "true", "cmd": "true", "action": "list", "url": "https://example.com", "server": "s", "mcp_name": "s"}
			switch agent {
			case "claude-code":
				c.claudeTool(name, raw, raw)
			case "codex":
				c.codexTool(name, raw, raw)
			case "gemini", "qwen":
				c.geminiTool(agent, name, raw, raw)
			case "copilot":
				c.copilotTool(name, raw, raw)
			case "opencode":
				c.opencodeTool(name, raw)
			case "crush":
				c.crushTool(name, raw)
			case "picoclaw":
				c.picoclawTool(name, raw)
			}
			if is := c.tool.Server == agent || c.tool == (permissions.Tool{}); is != unknown {
				t.Errorf("%s: %s is known: %v", agent, name, !is)
			}
		}
	}
}

func TestPatchedFiles(t *testing.T) {
	data, err := os.ReadFile("testdata/patches.txtar")
	if err != nil {
		t.Fatal(err)
	}
	a := txtar.Parse(data)
	for i := 0; i+1 < len(a.Files); i += 2 {
		var got []string
		for _, f := range patched(string(a.Files[i].Data)) {
			got = append(got, f.(string))
		}
		if want := strings.Fields(string(a.Files[i+1].Data)); strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s: %q, want %q", a.Files[i].Name, got, want)
		}
	}
}

// TestEveryReadingOfAPatchHeaderCounts: lines that programs in other languages
// take apart in other places.
func TestEveryReadingOfAPatchHeaderCounts(t *testing.T) {
	for text, hidden := range map[string]string{
		"*** Add File: \ufeff/etc/x":              "/etc/x",
		"\ufeff*** Add File: /etc/x":              "/etc/x",
		"*** Add File: a\ufeff":                   "a\ufeff",
		"*** Add File: \u0085a":                   "\u0085a",
		"*** Add File: a\r*** Add File: /etc/x\n": "/etc/x",
		"*** Add File: a\rb\n":                    "a\rb",
		"*** Add File: /etc/x:rest":               "/etc/x",
		"*** Move to: c:d":                        "c:d",
	} {
		if got := patched(text); !slices.Contains(got, any(hidden)) {
			t.Errorf("%q: %q, want %q among them", text, got, hidden)
		}
	}
}

func TestAPatchInAHeredoc(t *testing.T) {
	const patch = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"
	for text, want := range map[string]bool{
		"apply_patch <<'EOF'\n" + patch + "\nEOF":             true,
		"apply_patch <<'EOF'\n" + patch + "\nEOF\n":           true,
		" apply_patch << \"PATCH\"\n" + patch + "\nPATCH\n":   true,
		"apply_patch <<EOF\n" + patch + "\nEOF\n":             false, // a shell would expand it
		"apply_patch <<'EOF'\n" + patch + "\n":                false,
		"apply_patch <<'EOF'\n" + patch + "\nEOF\nrm -rf /\n": false,
		"apply_patch <<'EOF' && rm x\n" + patch + "\nEOF\n":   false,
		"rm x; apply_patch <<'EOF'\n" + patch + "\nEOF\n":     false,
		"apply_patch_now <<'EOF'\n" + patch + "\nEOF\n":       false,
		"apply_patch <<''\n" + patch + "\n\n":                 false,
		"apply_patch <<'E F'\n" + patch + "\nE F\n":           false,
	} {
		got, ok := heredoc(text)
		if ok != want || ok && got != patch {
			t.Errorf("%q: %q %v", text, got, ok)
		}
	}
}
