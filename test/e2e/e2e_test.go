package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"mayi/test/e2e/model"
)

// drive runs test for each agent, in a world of its own.
func drive(t *testing.T, test func(t *testing.T, w *world)) {
	driveOnly(t, agents, test)
}

func driveOnly(t *testing.T, agents []*agent, test func(t *testing.T, w *world)) {
	t.Parallel()
	if *agentsDir == "" || *mayiPath == "" {
		t.Skip("needs the agents and a built mayi: make e2e")
	}
	for _, a := range agents {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			test(t, newWorld(t, a))
		})
	}
}

// everyday is a policy under which the allowed half of the calls below needs no
// question, and the other half is denied.
func (w *world) everyday() {
	w.policy(fmt.Sprintf(`{
  // what a person might write
  "readOnlyShell": true,
  "permissions": {
    "allow": ["command(touch)", "command(./build.sh)", "mcp(probe.note)"],
    "deny": ["read(%[1]s/**)", "write(%[1]s/**)", "mcp(probe.erase)"],
  },
}`, w.out))
}

func both(w *world) []model.Call {
	a := w.agent
	return []model.Call{
		a.shell("touch allowed.txt"),
		a.shell("git status && mv " + w.out + "/precious " + w.out + "/gone"),
		a.read(w.ws + "/notes.txt"),
		a.read(w.out + "/secret.txt"),
		a.write(w.ws+"/written.txt", "written\n"),
		a.write(w.out+"/written.txt", "written\n"),
		a.mcp("note", "one"),
		a.mcp("erase", "two"),
	}
}

// TestWithoutMayi is the test of the tests: with nothing in front, every one of
// the calls runs. What does not run below was stopped by mayi.
func TestWithoutMayi(t *testing.T) {
	drive(t, func(t *testing.T, w *world) {
		results := w.play(both(w)...)
		if !w.has("ws/allowed.txt") || w.has("out/precious") || !w.has("out/gone") {
			t.Errorf("shell: %q", results[:2])
		}
		if !strings.Contains(results[2], "content of the notes") || !strings.Contains(results[3], "content of the secret") {
			t.Errorf("read: %q", results[2:4])
		}
		if !w.has("ws/written.txt") || !w.has("out/written.txt") {
			t.Errorf("write: %q", results[4:6])
		}
		if got := w.read("probe.log"); got != "note one\nerase two\n" {
			t.Errorf("mcp: %q, %q", results[6:], got)
		}
	})
}

// TestPolicy: of the same calls the allowed half runs and the denied half does
// not, and the model is told why.
func TestPolicy(t *testing.T) {
	drive(t, func(t *testing.T, w *world) {
		w.everyday()
		w.install()
		r := w.play(both(w)...)

		const yes, no = "allowed runs", "denied not run"
		w.check(yes, w.has("ws/allowed.txt"), "the allowed command did not run: %q", r[0])
		w.check(no, w.has("out/precious/file") && !w.has("out/gone"), "the denied command ran: %q", r[1])
		w.check(yes, strings.Contains(r[2], "content of the notes"), "the allowed read failed: %q", r[2])
		w.check(no, !strings.Contains(r[3], "content of the secret"), "the denied file was read: %q", r[3])
		w.check(yes, w.read("ws/written.txt") == "written\n", "the allowed write failed: %q", r[4])
		w.check(no, !w.has("out/written.txt"), "the denied write was done: %q", r[5])
		w.check(yes, strings.Contains(r[6], "probe did note one"), "the allowed MCP call failed: %q", r[6])
		w.check(no, w.read("probe.log") == "note one\n", "what reached the MCP server is %q: %q", w.read("probe.log"), r[7])
		for _, i := range []int{1, 3, 5, 7} {
			if !strings.Contains(r[i], "denied by") {
				t.Errorf("the model is not told which rule: %q", r[i])
			}
		}
		if strings.Contains(strings.Join(r, ""), "exec-confined") {
			t.Errorf("the model is shown what its command was rewritten to: %q", r)
		}
	})
}

// TestConfined: what no reading of the command can see is held by the kernel,
// where the agent lets its command be rewritten, and the person is asked at the
// moment of access.
func TestConfined(t *testing.T) {
	drive(t, func(t *testing.T, w *world) {
		w.policy(`{"permissions": {"allow": ["command(./build.sh)"]}}`)
		w.script("ws/build.sh", "echo built >built.txt\necho escaped >"+w.out+"/escaped.txt\necho wanted >"+w.out+"/wanted.txt\necho over")
		w.install()
		asked := w.person("wanted.txt")
		r := w.play(w.agent.shell("./build.sh"))
		questions := asked()
		w.check("allowed runs", w.has("ws/built.txt") && strings.Contains(r[0], "over"), "the allowed script did not run: %q", r[0])
		if !w.agent.rewrites {
			shown.set(w.agent.name, "confined", "cannot")
			if !w.has("out/escaped.txt") {
				t.Errorf("%s does confine by now; say so in its entry", w.agent.name)
			}
			return
		}
		w.check("confined", !w.has("out/escaped.txt"), "the script wrote what nobody allowed: %q, asked %q", r[0], questions)
		w.check("asked midway", w.has("out/wanted.txt"), "the script did not write what the person allowed: %q, asked %q", r[0], questions)
		if !strings.Contains(r[0], "escaped.txt") {
			t.Errorf("the model is not told what was refused: %q", r[0])
		}
	})
}

// TestBrokenSettings: while mayi's settings cannot be read, nothing runs that
// would act.
func TestBrokenSettings(t *testing.T) {
	drive(t, func(t *testing.T, w *world) {
		w.everyday()
		w.install()
		first := w.agent.shell("touch allowed.txt")
		first.Before = func() { w.policy(`{"permissions": {"allow": ["command(touch)"]`) }
		r := w.play(first, w.agent.write(w.ws+"/written.txt", "written\n"), w.agent.mcp("note", "one"))
		const column = "broken settings"
		w.check(column, !w.has("ws/allowed.txt"), "a command ran: %q", r[0])
		w.check(column, !w.has("ws/written.txt"), "a file was written: %q", r[1])
		w.check(column, !w.has("probe.log"), "an MCP call went through: %q", r[2])
		if !strings.Contains(r[0], "settings.json") {
			t.Errorf("the model is not told what is broken: %q", r[0])
		}
	})
}

// TestCrash: a mayi that dies, is killed, is cut off or is gone denies.
func TestCrash(t *testing.T) {
	drive(t, func(t *testing.T, w *world) {
		w.everyday()
		w.install()
		crashes := []struct{ name, body string }{
			{"status", "exit 1"},
			{"killed", "kill -9 $$"},
			{"segfault", "echo oops >&2; kill -11 $$"},
			{"half", `printf '{"hookSpecificOutput":{'; kill -9 $$`},
			{"gone", ""},
		}
		var script []model.Call
		for _, c := range crashes {
			call := w.agent.shell("touch " + c.name + ".txt")
			call.Before = func() {
				if c.body == "" {
					must(t, os.Remove(w.path("bin/mayi")))
					return
				}
				w.script("bin/mayi", c.body)
			}
			script = append(script, call)
		}
		r := w.play(script...)
		for i, c := range crashes {
			w.check("crash", !w.has("ws/"+c.name+".txt"), "%s: the call ran: %q", c.name, r[i])
		}
	})
}

// TestTimeout: a mayi that hangs denies. The limits that the installer wrote
// are shortened, to seconds.
func TestTimeout(t *testing.T) {
	drive(t, func(t *testing.T, w *world) {
		w.everyday()
		w.install()
		w.shorten()
		w.script("bin/mayi", "trap '' TERM; sleep 40")
		begin := time.Now()
		r := w.play(w.agent.shell("touch late.txt"))
		w.check("time-out", !w.has("ws/late.txt"), "the call ran after %s: %q", time.Since(begin), r[0])
	})
}

// TestUndone: the agent's settings are byte for byte what they were, and the
// agent runs as before.
func TestUndone(t *testing.T) {
	drive(t, func(t *testing.T, w *world) {
		w.everyday()
		before := files(t, w.home)
		w.install()
		w.uninstall()
		for path, now := range files(t, w.home) {
			if was, ok := before[path]; ok && was != now {
				w.check("undone", false, "%s was\n%s\nand is\n%s", path, was, now)
			}
			delete(before, path)
		}
		w.check("undone", len(before) == 0, "gone: %v", before)
		r := w.play(w.agent.mcp("erase", "two"))
		w.check("undone", w.read("probe.log") == "erase two\n", "mayi still decides: %q", r[0])
	})
}
