package install_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"mayi/internal/hook"
	"mayi/internal/install"
)

// TestTheHooksStayInTheSession: Claude Code tells its ConfigChange hook of a
// changed file before it goes by it. One that mayi was installed into has to hold
// mayi's hooks still, as they were written.
func TestTheHooksStayInTheSession(t *testing.T) {
	const file = "home/.claude/settings.json"
	for _, c := range []struct {
		name   string
		change func(m *machine, text string)
		blocks bool
	}{
		{"as installed", func(m *machine, text string) {}, false},
		{"another setting", func(m *machine, text string) { m.write(file, strings.Replace(text, "{", `{"model": "x",`, 1)) }, false},
		{"all hooks gone", func(m *machine, _ string) { m.write(file, `{}`) }, true},
		{"one event gone", func(m *machine, text string) {
			m.write(file, strings.Replace(text, `"PreToolUse"`, `"PostToolUse"`, 1))
		}, true},
		{"the guard's event gone", func(m *machine, text string) { m.write(file, strings.Replace(text, `"ConfigChange"`, `"Stop"`, 1)) }, true},
		{"for one tool alone", func(m *machine, text string) { m.write(file, strings.Replace(text, `"*"`, `"Read"`, 1)) }, true},
		{"another command", func(m *machine, text string) {
			m.write(file, strings.ReplaceAll(text, "hook claude-code", "version; :"))
		}, true},
		{"a failure lets through", func(m *machine, text string) { m.write(file, strings.ReplaceAll(text, `"block"`, `"allow"`)) }, true},
		{"the file gone", func(m *machine, _ string) { _ = os.Remove(m.path(file)) }, true},
		{"the record unreadable", func(m *machine, _ string) { m.write("state/install/claude-code.user.json", "{") }, true},
		{"uninstalled", func(m *machine, _ string) { m.uninstall("claude-code", install.User) }, false},
	} {
		m := newMachine(t)
		m.write(file, "{\n  \"permissions\": {}\n}\n")
		m.install("claude-code", install.User)
		text, err := os.ReadFile(m.path(file))
		if err != nil {
			t.Fatal(err)
		}
		c.change(m, string(text))
		payload, err := json.Marshal(map[string]any{
			"session_id": "s", "cwd": m.path("ws"), "hook_event_name": "ConfigChange", "source": "user_settings", "file_path": m.path(file),
		})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if _, err := hook.Run(context.Background(), hook.Options{
			Name: "claude-code", Stdin: bytes.NewReader(payload), Stdout: &out, Stderr: &out, StateDir: m.path("state"), Cwd: m.path("ws"),
		}); err != nil {
			t.Fatal(err)
		}
		if blocks := strings.Contains(out.String(), `"decision":"block"`); blocks != c.blocks {
			t.Errorf("%s: %s", c.name, &out)
		}
	}
}
