package e2e

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"mayi/test/e2e/model"
)

// TestTypedInto: what Codex types into a program that is running reaches no
// hook, so that the program itself has to be held, also where the person has
// let it start.
func TestTypedInto(t *testing.T) {
	driveOnly(t, []*agent{codex}, func(t *testing.T, w *world) {
		w.policy(`{"permissions": {"allow": ["command(bash)"]}}`)
		w.install()
		start := w.agent.shell("bash --norc")
		start.Args["tty"], start.Args["yield_time_ms"] = true, 2000
		typed := call("write_stdin", map[string]any{
			"chars": "echo over $((40+2)); echo escaped >" + w.out + "/escaped.txt\n", "yield_time_ms": 4000,
		})
		typed.Before = func() {
			typed.Args["session_id"] = sessionOf(w.model)
		}
		asked := w.person("it runs what comes from standard input")
		r := w.play(start, typed)
		questions := asked()
		w.check("confined", !w.has("out/escaped.txt"), "what was typed was done: %q, asked %q", r, questions)
		if !strings.Contains(r[1], "over 42") || len(questions) != 2 {
			t.Errorf("the shell did not start, or what was typed was not asked about: %q, asked %q", r, questions)
		}
	})
}

// sessionOf is the running program that the last result names.
func sessionOf(m *model.Server) int {
	results := m.Results()
	if m := regexp.MustCompile(`session ID (\d+)`).FindStringSubmatch(results[len(results)-1]); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			return n
		}
	}
	return 0
}

// TestUnconfined is the test of TestConfined: with mayi deciding but not
// confining, the same script gets out.
func TestUnconfined(t *testing.T) {
	driveOnly(t, []*agent{codex}, func(t *testing.T, w *world) {
		w.policy(`{"hooks": {"confine": false}, "permissions": {"allow": ["command(./build.sh)"]}}`)
		w.script("ws/build.sh", "echo escaped >"+w.out+"/escaped.txt")
		w.install()
		if r := w.play(w.agent.shell("./build.sh")); !w.has("out/escaped.txt") {
			t.Errorf("held by something else than mayi: %q", r)
		}
	})
}

// TestInItsOwnSandbox: a command that mayi confines also runs where Codex puts
// it into a sandbox of its own, and is held by at least one of the two. One that
// may only run confined does so, or does not run.
func TestInItsOwnSandbox(t *testing.T) {
	own := *codex
	own.configure = func(w *world) {
		codex.configure(w)
		const file = "home/.codex/config.toml"
		w.write(file, strings.Replace(w.read(file), "danger-full-access", "workspace-write", 1))
	}
	own.args = func(*world) []string { return []string{"exec", "--json", "--skip-git-repo-check", prompt} }
	driveOnly(t, []*agent{&own}, func(t *testing.T, w *world) {
		w.policy(`{"permissions": {"allow": ["command(./build.sh)"], "allowConfined": ["command(sh)"], "deny": ["mcp(probe.erase)"]}}`)
		w.script("ws/build.sh", "echo built >built.txt\necho escaped >"+w.out+"/escaped.txt\necho over")
		w.script("ws/script.sh", "echo scripted >scripted.txt\necho escaped >"+w.out+"/escaped.txt\necho over")
		w.install()
		asked := w.person("nothing")
		r := w.play(w.agent.shell("./build.sh"), w.agent.mcp("erase", "two"), w.agent.shell("sh script.sh"))
		questions := asked()
		w.check("allowed runs", w.has("ws/built.txt") && strings.Contains(r[0], "over"), "the allowed script did not run: %q, asked %q", r[0], questions)
		w.check("held or not run", w.has("ws/scripted.txt") != strings.Contains(r[2], "within the agent's own sandbox"), "the script that may only run confined: %q, asked %q", r[2], questions)
		w.check("confined", !w.has("out/escaped.txt"), "the script wrote outside of the workspace: %q", r[0])
		w.check("denied not run", !w.has("probe.log"), "the denied call ran: %q", r[1])
	})
}
