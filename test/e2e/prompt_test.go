package e2e

import (
	"strings"
	"testing"
)

// prompting is Claude Code without a hook: what it would ask a person about it
// asks mayi's MCP server, and its other MCP server is behind mayi's proxy.
func prompting() *agent {
	a := *claudeCode
	a.configure = func(w *world) {
		probe := w.probeCommand()
		mayi := w.bin + "/mayi"
		w.json("home/.claude/settings.json", map[string]any{
			"permissions": map[string]any{"allow": []any{"mcp__probe"}, "additionalDirectories": []any{w.out}},
		})
		w.json("home/.claude.json", map[string]any{
			"hasCompletedOnboarding": true,
			"mcpServers": map[string]any{
				"mayi":  map[string]any{"command": mayi, "args": []any{"mcp", "--wait", "2s"}},
				"probe": map[string]any{"command": mayi, "args": append([]string{"mcp", "proxy", "--name", "probe", "--"}, probe...)},
			},
		})
	}
	args := a.args
	a.args = func(w *world) []string { return append(args(w), "--permission-prompt-tool", "mcp__mayi__approve") }
	return &a
}

// TestPermissionPrompt: with no hook installed, the calls that Claude Code asks
// about are decided by the same policy, and its MCP server's calls are, too.
func TestPermissionPrompt(t *testing.T) {
	driveOnly(t, []*agent{prompting()}, func(t *testing.T, w *world) {
		w.everyday()
		a := w.agent
		r := w.play(
			a.shell("touch allowed.txt"),
			a.shell("git status && mv "+w.out+"/precious "+w.out+"/gone"),
			a.write(w.ws+"/written.txt", "written\n"),
			a.write(w.out+"/written.txt", "written\n"),
			a.shell("mkdir nobody-answers"),
			a.mcp("note", "one"),
			a.mcp("erase", "two"),
		)
		if !w.has("ws/allowed.txt") {
			t.Errorf("the allowed command did not run: %q", r[0])
		}
		if !w.has("out/precious/file") || w.has("out/gone") || !strings.Contains(r[1], "denied by") {
			t.Errorf("the denied command: %q", r[1])
		}
		if w.read("ws/written.txt") != "written\n" {
			t.Errorf("the allowed write failed: %q", r[2])
		}
		if w.has("out/written.txt") || !strings.Contains(r[3], "denied by") {
			t.Errorf("the denied write: %q", r[3])
		}
		if w.has("ws/nobody-answers") || !strings.Contains(r[4], "nobody answered") {
			t.Errorf("what nobody answered: %q", r[4])
		}
		if !strings.Contains(r[5], "probe did note one") || w.read("probe.log") != "note one\n" {
			t.Errorf("what reached the MCP server is %q: %q", w.read("probe.log"), r[5:])
		}
	})
}
