package confined_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"mayi/internal/hook/confined"
	"mayi/internal/runner"
)

// TestWithinAnotherSandbox: an agent that runs its commands in a sandbox of its
// own, from which mayi's state cannot be written, can run what was decided, and
// nothing else. Where confinement is required, it cannot.
func TestWithinAnotherSandbox(t *testing.T) {
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		t.Skip("bubblewrap is not installed")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for set, want := range map[string]string{
		settings: "it-ran",
		strings.Replace(settings, "{", `{"sandbox":"required",`, 1): "the command is not run",
	} {
		p := newPlace(t, set)
		line, answer := p.decide(t, "codex", "touch a && echo it-ran", nil)
		if line == "" {
			t.Fatal(answer)
		}
		line = strings.ReplaceAll(line, "/usr/bin/mayi", self)
		cmd := exec.Command(bwrap, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", p.space, p.space, "--unshare-all", "--cap-drop", "ALL",
			"--chdir", p.space, "/bin/sh", "-c", line)
		cmd.Env = []string{"PATH=/usr/bin:/bin", "PLACE=" + p.dir, "PLACE_SETTINGS=" + set}
		out, err := cmd.CombinedOutput()
		if strings.Contains(string(out), "bwrap: ") {
			t.Skipf("bubblewrap cannot be used here: %s", out)
		}
		if !strings.Contains(string(out), want) || (want == "it-ran") != (err == nil) {
			t.Errorf("%s: %v %s, want %q", set, err, out, want)
		}
		if strings.Contains(string(out), "it-ran\n") && want != "it-ran" {
			t.Errorf("%s: it ran", set)
		}
	}
}

// TestTheConditionHoldsWithinAnotherSandbox: what was allowed only because mayi
// confines it is confined by mayi there, too, or does not run.
func TestTheConditionHoldsWithinAnotherSandbox(t *testing.T) {
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		t.Skip("bubblewrap is not installed")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const set = `{"permissions":{"allowConfined":["command(sh)"]}}`
	p := newPlace(t, set)
	for name, text := range map[string]string{p.dir + "/desktop/secret": "for-nobody", p.space + "/s.sh": "cat " + p.dir + "/desktop/secret\necho it-ran\n"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, more := range [][]string{nil, {"--unshare-user", "--disable-userns", "--cap-drop", "ALL"}} {
		line, answer := p.decide(t, "codex", "sh s.sh", nil)
		if line == "" {
			t.Fatal(answer)
		}
		args := append([]string{"--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", p.space, p.space, "--unshare-all"}, more...)
		cmd := exec.Command(bwrap, append(args, "--chdir", p.space, "/bin/sh", "-c", strings.ReplaceAll(line, "/usr/bin/mayi", self))...)
		cmd.Env = []string{"PATH=/usr/bin:/bin", "PLACE=" + p.dir, "PLACE_SETTINGS=" + set}
		text, err := cmd.CombinedOutput()
		out := string(text)
		if strings.Contains(out, "bwrap: ") {
			t.Logf("bubblewrap cannot do %v here: %s", more, out)
			continue
		}
		ran, refused := strings.Contains(out, "it-ran\n"), strings.Contains(out, "within the agent's own sandbox")
		if strings.Contains(out, "for-nobody") || ran == refused || refused && err == nil {
			t.Errorf("%v: %v %s", more, err, out)
		}
	}
}

// asCommand makes this test binary the command "mayi exec-confined" of the place
// that its environment names.
func asCommand(args []string) {
	if len(args) != 5 || args[1] != "exec-confined" {
		return
	}
	p := &place{dir: os.Getenv("PLACE"), space: os.Getenv("PLACE") + "/space", settings: os.Getenv("PLACE_SETTINGS")}
	dir, _ := os.Getwd()
	code, err := confined.Run(context.Background(), confined.Options{
		Ticket: args[2], Text: args[4], StateDir: p.dir + "/state", Dir: dir, Open: p.open,
		Command: runner.Command{Env: []string{"PATH=/usr/bin:/bin"}, Stdout: os.Stdout, Stderr: os.Stderr},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}
