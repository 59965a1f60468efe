package confined_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mayi/internal/assembly"
	"mayi/internal/hook"
	"mayi/internal/hook/confined"
	"mayi/internal/runner"
	"mayi/pkg/config"
	"mayi/pkg/sandbox"
	"mayi/pkg/store"
)

func TestMain(m *testing.M) {
	sandbox.Main() // the helper of the sandbox is this test binary
	asCommand(os.Args)
	os.Exit(m.Run())
}

// place is a home and a workspace in which an agent's commands run.
type place struct {
	dir, space, settings string
}

func newPlace(t *testing.T, settings string) *place {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{dir: dir, space: dir + "/space", settings: settings}
	for _, d := range []string{p.space + "/sub", dir + "/desktop"} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

const settings = `{"readOnlyShell":true,"permissions":{"allow":["command(touch)","command(cat)","command(sh)","command(exit)","command(python3)"],"deny":["command(rm)"]}}`

func (p *place) open(at hook.Place) (*hook.Door, error) {
	app, err := assembly.Open(assembly.Options{Env: map[string]string{}, Config: config.Options{
		Cwd: at.Cwd, Workspace: p.space, Home: p.dir, User: "dev",
		UserFile: p.dir + "/settings.json", StateDir: p.dir + "/state", Override: []byte(p.settings),
	}})
	if err != nil {
		return nil, err
	}
	return &hook.Door{Gate: app.Gate, Questions: app.Store.Questions(), Close: app.Close}, nil
}

// decide sends a shell call to the agent's hook and returns the command that
// came back, "" where it is as it was or refused.
func (p *place) decide(t *testing.T, agent, command string, env map[string]string) (line, answer string) {
	t.Helper()
	text, _ := json.Marshal(command)
	payload := `{"session_id":"s","cwd":"` + p.space + `","hook_event_name":"PreToolUse","event":"PreToolUse","tool_name":"Bash","tool_input":{"command":` + string(text) + `}}`
	if agent == "crush" {
		payload = strings.Replace(payload, `"Bash"`, `"bash"`, 1)
	}
	var out bytes.Buffer
	_, err := hook.Run(context.Background(), hook.Options{
		Name: agent, Open: p.open, Stdin: strings.NewReader(payload), Stdout: &out, Stderr: &out,
		Env: env, Cwd: p.space, StateDir: p.dir + "/state", Self: "/usr/bin/mayi", Wait: time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	var a struct {
		Output struct {
			Input struct{ Command string } `json:"updatedInput"`
		} `json:"hookSpecificOutput"`
		Input struct{ Command string } `json:"updated_input"`
	}
	if err := json.Unmarshal(out.Bytes(), &a); err != nil && out.Len() > 0 {
		t.Fatalf("%v: %s", err, &out)
	}
	return a.Output.Input.Command + a.Input.Command, out.String()
}

// arguments are those that a shell makes of a rewritten command.
func arguments(t *testing.T, line string) []string {
	t.Helper()
	out, err := exec.Command("/bin/sh", "-c", "mayi() { printf '%s\\0' \"$@\"; }; "+strings.ReplaceAll(line, "/usr/bin/mayi ", "mayi ")).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

// run runs a rewritten command in a folder.
func (p *place) run(t *testing.T, dir, line string, change ...func(*confined.Options)) (code int, stdout string, err error) {
	t.Helper()
	args := arguments(t, line)
	if args[0] != "exec-confined" || len(args) < 2 {
		t.Fatalf("the command was not changed: %q", line)
	}
	var out bytes.Buffer
	o := confined.Options{
		Ticket: args[1], StateDir: p.dir + "/state", Dir: dir, Open: p.open,
		Command: runner.Command{Env: []string{"PATH=/usr/bin:/bin", "HOME=" + p.dir}, Stdout: &out, Stderr: &out},
	}
	if len(args) == 4 {
		o.Text = args[3]
	}
	for _, f := range change {
		f(&o)
	}
	code, err = confined.Run(context.Background(), o)
	return code, out.String(), err
}

func TestACommandRunsOnceAsItWasDecided(t *testing.T) {
	for _, agent := range []string{"claude-code", "codex", "crush"} {
		p := newPlace(t, settings)
		text := "touch 'it'\\''s'\ncat <<'E'\n$HOME \"x\" `y` \\\nE\nexit 3"
		line, answer := p.decide(t, agent, text, nil)
		if line == "" {
			t.Fatalf("%s: %s", agent, answer)
		}
		if args := arguments(t, line); len(args) != 4 || args[3] != text {
			t.Errorf("%s: the text is not shown as it was: %q", agent, args)
		}
		code, out, err := p.run(t, p.space, line)
		if code != 3 || out != "$HOME \"x\" `y` \\\n" || err != nil {
			t.Errorf("%s: exit %d %q (%v)", agent, code, out, err)
		}
		if _, err := os.Stat(p.space + "/it's"); err != nil {
			t.Errorf("%s: it did not run: %v", agent, err)
		}
		code, out, err = p.run(t, p.space, line)
		if code != confined.NotRun || out != "" || err == nil {
			t.Errorf("%s: a second run: exit %d %q (%v)", agent, code, out, err)
		}
		if got := p.events(t); got != "begin:touch end:exit 3" {
			t.Errorf("%s: recorded as %s", agent, got)
		}
	}
}

// events are the record's, in short.
func (p *place) events(t *testing.T) string {
	t.Helper()
	db := store.At(p.dir + "/state/mayi.db")
	defer db.Close()
	var out []string
	for r, err := range db.Audit().Records(context.Background(), store.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		what := r.Outcome
		if r.Event != "end" {
			what, _, _ = strings.Cut(r.Text, " ")
		}
		out = append(out, r.Event+":"+what)
	}
	return strings.Join(out, " ")
}

func TestWhatChangedIsNotRun(t *testing.T) {
	for name, change := range map[string]func(p *place, o *confined.Options){
		"another text":    func(_ *place, o *confined.Options) { o.Text += " b" },
		"another folder":  func(p *place, o *confined.Options) { o.Dir = p.space + "/sub" },
		"outside":         func(p *place, o *confined.Options) { o.Dir = p.dir },
		"no folder":       func(p *place, o *confined.Options) { o.Dir = p.space + "/gone" },
		"another ticket":  func(_ *place, o *confined.Options) { o.Ticket = strings.Repeat("A", 26) },
		"no state":        func(_ *place, o *confined.Options) { o.StateDir = "" },
		"another policy":  func(p *place, _ *confined.Options) { p.settings = `{"permissions":{"allow":["command(touch)"]}}` },
		"broken settings": func(p *place, _ *confined.Options) { p.settings = `{` },
		"a looser policy": func(p *place, _ *confined.Options) { p.settings = `{"executionMode":"auto","sandbox":"off"}` },
		"later":           func(_ *place, o *confined.Options) { o.Now = func() time.Time { return time.Now().Add(time.Hour) } },
		"no gate": func(_ *place, o *confined.Options) {
			o.Open = func(hook.Place) (*hook.Door, error) { return nil, errors.New("x") }
		},
	} {
		p := newPlace(t, settings)
		line, _ := p.decide(t, "codex", "touch a", nil)
		code, _, err := p.run(t, p.space, line, func(o *confined.Options) { change(p, o) })
		if code != confined.NotRun || err == nil {
			t.Errorf("%s: exit %d (%v)", name, code, err)
		}
		if _, err := os.Stat(p.space + "/a"); err == nil {
			t.Errorf("%s: it ran", name)
		}
	}
}

// TestTheKernelHoldsIt: what the decision did not name is out of reach.
func TestTheKernelHoldsIt(t *testing.T) {
	p := newPlace(t, settings)
	if err := os.WriteFile(p.dir+"/desktop/secret", []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.space+"/script.sh", []byte("cat "+p.dir+"/desktop/secret; echo x > "+p.dir+"/desktop/new; echo done"), 0o644); err != nil {
		t.Fatal(err)
	}
	line, answer := p.decide(t, "codex", "sh script.sh", nil)
	if line == "" {
		t.Fatal(answer)
	}
	_, out, err := p.run(t, p.space, line)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out, "this machine cannot confine") {
		t.Skip("this machine cannot confine a command")
	}
	if strings.Contains(out, "secret\n") || strings.HasPrefix(out, "secretdone") || !strings.Contains(out, "done") {
		t.Errorf("%q", out)
	}
	if _, err := os.Stat(p.dir + "/desktop/new"); err == nil {
		t.Error("a file outside of the workspace was made")
	}
}

// TestALeadingCdStays: in Claude Code a folder holds for the next command.
func TestALeadingCdStays(t *testing.T) {
	p := newPlace(t, settings)
	for text, want := range map[string]string{
		"cd sub && touch a":           "cd " + p.space + "/sub && ",
		"cd sub; touch a":             "cd " + p.space + "/sub && ",
		"  cd 'sub'\ntouch a":         "cd " + p.space + "/sub && ",
		"cd ./sub/../sub;touch a":     "cd " + p.space + "/sub && ",
		"cd gone && touch a":          "",
		"cd sub || touch a":           "",
		"cd sub | touch a":            "",
		"cd sub & touch a":            "",
		"cd sub && : & touch a":       "",
		"cd sub && touch a & touch b": "",
		"cd sub >x && touch a":        "",
		"(cd sub && touch a)":         "",
		"cd $X && touch a":            "",
		"cd - && touch a":             "",
		"X=1 cd sub && touch a":       "",
		"touch a && cd sub":           "",
		"{ cd sub; touch a; }":        "",
		"if cd sub; then touch a; fi": "",
	} {
		line, answer := p.decide(t, "claude-code", text, map[string]string{"CLAUDE_CODE_SESSION_ATTENDED": "1"})
		lead, _, _ := strings.Cut(line, "/usr/bin/mayi ")
		if lead != want || line == "" && !strings.Contains(answer, `"deny"`) {
			t.Errorf("%q becomes %q, want it to begin with %q", text, line, want)
		}
		if want == "" {
			continue
		}
		if code, _, err := p.run(t, p.space+"/sub", line[len(lead):]); code != 0 || err != nil {
			t.Errorf("%q: exit %d (%v)", text, code, err)
		}
		if err := os.Remove(p.space + "/sub/a"); err != nil {
			t.Errorf("%q did not run in the folder: %v", text, err)
		}
	}
	// Another agent's next command starts where this one did.
	if line, _ := p.decide(t, "codex", "cd sub && touch a", nil); !strings.HasPrefix(line, "/usr/bin/mayi ") {
		t.Errorf("codex: %q", line)
	}
}

// TestThePathIsThatOfTheDecision: a folder of the workspace that the agent's shell
// has put into its PATH since leads to no program; one that was there does.
func TestThePathIsThatOfTheDecision(t *testing.T) {
	for _, c := range []struct{ hook, shell, want string }{
		{"/usr/bin:/bin", "SPACE/sub:/usr/bin:/bin", "text"},
		{"/usr/bin:/bin", ":sub:./sub:/usr/bin:/bin", "text"},
		{"SPACE/sub:/usr/bin:/bin", "SPACE/sub:/usr/bin:/bin", "planted"},
	} {
		p := newPlace(t, settings)
		if err := os.WriteFile(p.space+"/sub/cat", []byte("#!/bin/sh\necho planted\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p.space+"/f", []byte("text"), 0o644); err != nil {
			t.Fatal(err)
		}
		at := func(path string) string { return "PATH=" + strings.ReplaceAll(path, "SPACE", p.space) }
		line, answer := p.decide(t, "codex", "cat f; true", map[string]string{"PATH": at(c.hook)[5:]})
		if line == "" {
			t.Fatal(answer)
		}
		_, out, err := p.run(t, p.space, line, func(o *confined.Options) { o.Command.Env = []string{at(c.shell), "HOME=" + p.dir} })
		if err != nil || strings.TrimSpace(out) != c.want {
			t.Errorf("%s decided, %s in the shell: %q (%v), want %s", c.hook, c.shell, out, err, c.want)
		}
	}
}

// TestSettingsSwitchItOff, and commands that do nothing are left alone.
func TestSettingsSwitchItOff(t *testing.T) {
	for set, changed := range map[string]bool{
		settings: true,
		strings.Replace(settings, "{", `{"hooks":{"confine":false},`, 1): false,
		strings.Replace(settings, "{", `{"sandbox":"off",`, 1):           false,
		strings.Replace(settings, "{", `{"sandbox":"required",`, 1):      true,
	} {
		p := newPlace(t, set)
		if line, _ := p.decide(t, "codex", "touch a", nil); (line != "") != changed {
			t.Errorf("%s: %q", set, line)
		}
		for _, idle := range []string{"echo hello", "pwd", "true", "echo a; echo b"} {
			if line, answer := p.decide(t, "codex", idle, nil); line != "" || answer != "" {
				t.Errorf("%s: %q is changed to %q", set, idle, line)
			}
		}
	}
}

// TestNothingStaysInAShellThatGoesOn: what a later command would call in place
// of what it names is left in no agent's own shell, only the folder of one that
// keeps it.
func TestNothingStaysInAShellThatGoesOn(t *testing.T) {
	p := newPlace(t, settings)
	for _, command := range []string{
		"f() { touch a; }", "cd sub && touch() { true; }", "echo a; function f { true; }", "function /usr/bin/mayi { true; }",
		"alias touch=true", "export PATH=.:$PATH", "PATH=.", "X=1", "set -e", "trap 'touch a' EXIT", "enable -n echo", "hash -p ./x touch",
		"printf -v PATH x", "echo ${X:=1}", "exec 3>&1", "read X", "unset HOME", "shopt -s expand_aliases", "umask 0", "ulimit -c 0",
	} {
		for _, agent := range []string{"codex", "claude-code"} {
			line, answer := p.decide(t, agent, command, nil)
			if line == "" && !strings.Contains(answer, `"deny"`) || strings.Contains(strings.SplitN(line, "/usr/bin/mayi exec-confined", 2)[0], "touch") {
				t.Errorf("%s: %q is left as it is: %s", agent, command, answer)
			}
		}
	}
	for _, command := range []string{"cd sub", "cd sub && pwd"} {
		if line, answer := p.decide(t, "codex", command, nil); line == "" {
			t.Errorf("codex: %q is left as it is: %s", command, answer)
		}
		if line, answer := p.decide(t, "claude-code", command, nil); line != "" || !strings.Contains(answer, `"allow"`) {
			t.Errorf("claude-code: %q is changed: %s", command, answer)
		}
	}
}

// TestAnAskedCommandRunsAfterTheAnswerOnly: the ticket of a question that the
// agent asks begins its call when it runs.
func TestAnAskedCommandRunsAfterTheAnswerOnly(t *testing.T) {
	p := newPlace(t, `{"readOnlyShell":true}`)
	attended := map[string]string{"CLAUDE_CODE_SESSION_ATTENDED": "1"}
	line, answer := p.decide(t, "claude-code", "touch a", attended)
	if line == "" || !strings.Contains(answer, `"ask"`) {
		t.Fatal(answer)
	}
	if got := p.events(t); got != "asked:touch" {
		t.Errorf("before the answer: %s", got)
	}
	// The model calls it itself: that is not the person's answer.
	if _, answer := p.decide(t, "claude-code", line, attended); !strings.Contains(answer, `"deny"`) {
		t.Errorf("called by the model: %s", answer)
	}
	if code, _, err := p.run(t, p.space, line); code != 0 || err != nil {
		t.Fatalf("exit %d (%v)", code, err)
	}
	if got := p.events(t); got != "asked:touch begin:touch end:exit 0" {
		t.Errorf("after the answer: %s", got)
	}
}

// TestAChangedCommandThatComesBack: Qwen Code and Codex show what they were
// given in another event.
func TestAChangedCommandThatComesBack(t *testing.T) {
	p := newPlace(t, settings)
	line, _ := p.decide(t, "codex", "touch a", nil)
	if _, answer := p.decide(t, "codex", line, nil); answer != "" {
		t.Errorf("its own command is answered %s", answer)
	}
	if _, answer := p.decide(t, "codex", line+" b", nil); !strings.Contains(answer, `"deny"`) {
		t.Errorf("a longer one is answered %s", answer)
	}
	if _, answer := p.decide(t, "claude-code", line, nil); !strings.Contains(answer, `"deny"`) {
		t.Errorf("another agent's is answered %s", answer)
	}
	if code, _, err := p.run(t, p.space, line); code != 0 || err != nil {
		t.Fatalf("exit %d (%v)", code, err)
	}
	if _, answer := p.decide(t, "codex", line, nil); !strings.Contains(answer, `"deny"`) {
		t.Errorf("after its run it is answered %s", answer)
	}
}

// TestNothingRunsWithoutItsRecord: that a command began is on the disk before it
// does something, and where that cannot be had it does nothing.
func TestNothingRunsWithoutItsRecord(t *testing.T) {
	p := newPlace(t, settings)
	for _, c := range []struct {
		command string
		runs    bool
	}{{"touch b", false}, {"cat sub/x", true}} { // what only reads needs none
		if err := os.WriteFile(p.space+"/sub/x", []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
		line, answer := p.decide(t, "codex", c.command, nil)
		if line == "" {
			t.Fatalf("%s: %s", c.command, answer)
		}
		head := p.dir + "/state/mayi.db.head"
		if err := os.Rename(head, head+".away"); err != nil {
			t.Fatal(err)
		}
		code, out, err := p.run(t, p.space, line)
		if ran := err == nil && code == 0; ran != c.runs {
			t.Errorf("%s: exit %d %q (%v)", c.command, code, out, err)
		}
		if _, err := os.Stat(p.space + "/b"); err == nil {
			t.Error("it ran")
		}
		if err := os.Rename(head+".away", head); err != nil {
			t.Fatal(err)
		}
	}
}
