//go:build unix

package install_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mayi/internal/install"
)

// TestBrokenSettings: what cannot be read is left alone, and the error says
// where.
func TestBrokenSettings(t *testing.T) {
	cases := []struct{ name, agent, file, text, want string }{
		{"breaks off", "claude-code", "home/.claude/settings.json", "{\n  \"hooks\": {\n", ":3:1: "},
		{"no value", "gemini", "home/.gemini/settings.json", "{\n  \"theme\": ,\n}\n", ":2:12: "},
		{"not an object", "qwen", "home/.qwen/settings.json", "[]\n", ":1:1: the outermost value is not an object"},
		{"hooks is a list", "claude-code", "home/.claude/settings.json", "{\"model\": \"x\",\n \"hooks\": []}\n", ":2:11: "},
		{"the event is an object", "cursor", "home/.cursor/hooks.json", "{\"version\":1,\n\"hooks\":{\"preToolUse\":{}}}\n", ":2:23: hooks.preToolUse is not a list"},
		{"hooks stands twice", "crush", "home/.config/crush/crush.json", "{\"hooks\":{},\n\"hooks\":{}}\n", ":2:1: "},
		{"not UTF-8", "copilot", "home/.copilot/hooks/mayi.json", "{\"a\":\"\xff\"}", ":1:7: this is not valid UTF-8"},
		{"TOML", "codex", "home/.codex/config.toml", "model = \"x\"\nmodel = \n", ":2:"},
		{"nested too deeply", "picoclaw", "home/.picoclaw/config.json", strings.Repeat(`{"a":`, 300), ": this is nested too deeply"},
		{"another's plugin", "opencode", "home/.config/opencode/plugins/mayi.js", "export const X = 1\n", "is not mayi's"},
		{"not set up", "picoclaw", "home/.picoclaw/other.json", "{}", "does not exist: set the agent up first"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := newMachine(t)
			fakeCodex(m)
			m.write(c.file, c.text)
			before := m.files()
			_, err := install.New(m.places).Plan(c.agent, install.User)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, want %q in it", err, c.want)
			}
			if !strings.Contains(err.Error(), "nothing was changed") {
				t.Errorf("the error does not say that nothing was changed: %v", err)
			}
			m.same("after the error", before)
		})
	}
}

// TestFolderThatCannotBeWritten: files that were written before it are put
// back.
func TestFolderThatCannotBeWritten(t *testing.T) {
	m := newMachine(t)
	fakeCodex(m)
	m.write("home/.codex/hooks.json", "{}\n")
	// config.toml leads into a folder that is none, for root as well.
	m.write("home/file", "")
	if err := os.Symlink(m.path("home/file/config.toml"), m.path("home/.codex/config.toml")); err != nil {
		t.Fatal(err)
	}
	before := m.files()
	i := install.New(m.places)
	p, err := i.Plan("codex", install.User)
	if err == nil {
		err = i.Apply(p)
	}
	if err == nil || !strings.Contains(err.Error(), "config.toml") {
		t.Errorf("the error is %v", err)
	}
	m.same("after the error", before)
	if s, err := i.Status("codex"); err != nil || len(s.Installs) != 0 {
		t.Errorf("status: %+v, %v", s, err)
	}
}

// TestReadOnlyFolder: root may write into every folder, so that the test is run
// by somebody else where root runs it.
func TestReadOnlyFolder(t *testing.T) {
	if os.Getuid() == 0 {
		asNobody(t, "TestReadOnlyFolder")
		return
	}
	m := newMachine(t)
	m.write("home/.claude/settings.json", "{}\n")
	dir := m.path("home/.claude")
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
	i := install.New(m.places)
	p, err := i.Plan("claude-code", install.User)
	if err != nil {
		t.Fatal(err)
	}
	if err := i.Apply(p); err == nil || !strings.Contains(err.Error(), "settings.json cannot be written") {
		t.Errorf("the error is %v", err)
	}
}

// TestLinksAndModes: a settings file that is kept elsewhere stays there, with
// its mode.
func TestLinksAndModes(t *testing.T) {
	m := newMachine(t)
	m.write("home/dotfiles/claude.json", "{}\n")
	if err := os.Chmod(m.path("home/dotfiles/claude.json"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(m.path("home/.claude"), 0o755); err != nil {
		t.Fatal(err)
	}
	link := m.path("home/.claude/settings.json")
	if err := os.Symlink("../dotfiles/claude.json", link); err != nil {
		t.Fatal(err)
	}
	check := func(when string, has bool) {
		t.Helper()
		if to, err := os.Readlink(link); err != nil || to != "../dotfiles/claude.json" {
			t.Errorf("%s the link is %q, %v", when, to, err)
		}
		st, err := os.Stat(link)
		if err != nil || st.Mode().Perm() != 0o640 {
			t.Errorf("%s the mode is %v, %v", when, st.Mode(), err)
		}
		text, err := os.ReadFile(m.path("home/dotfiles/claude.json"))
		if err != nil || strings.Contains(string(text), "hook claude-code") != has {
			t.Errorf("%s the file is %q, %v", when, text, err)
		}
	}
	m.install("claude-code", install.User)
	check("after the install", true)
	m.uninstall("claude-code", install.User)
	check("after the uninstall", false)
}

// TestALinkOutOfTheProject: a repository's link does not choose what is written.
func TestALinkOutOfTheProject(t *testing.T) {
	m := newMachine(t)
	m.write("home/precious.json", "{}\n")
	if err := os.MkdirAll(m.path("ws/.claude"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../../home/precious.json", m.path("ws/.claude/settings.json")); err != nil {
		t.Fatal(err)
	}
	i := install.New(m.places)
	if _, err := i.Plan("claude-code", install.Project); err == nil || !strings.Contains(err.Error(), "leads out of the project") {
		t.Errorf("%v", err)
	}
	if text, err := os.ReadFile(m.path("home/precious.json")); err != nil || string(text) != "{}\n" {
		t.Errorf("%q, %v", text, err)
	}
	if err := os.Remove(m.path("ws/.claude/settings.json")); err != nil {
		t.Fatal(err)
	}
	m.write("ws/shared/claude.json", "{}\n")
	if err := os.Symlink("../shared/claude.json", m.path("ws/.claude/settings.json")); err != nil {
		t.Fatal(err)
	}
	if _, err := i.Plan("claude-code", install.Project); err != nil {
		t.Errorf("a link within the project: %v", err)
	}
}

// TestChangedMeanwhile: what the person was shown is what is written, or
// nothing.
func TestChangedMeanwhile(t *testing.T) {
	m := newMachine(t)
	m.write("home/.claude/settings.json", "{}\n")
	i := install.New(m.places)
	p, err := i.Plan("claude-code", install.User)
	if err != nil {
		t.Fatal(err)
	}
	m.write("home/.claude/settings.json", `{"model":"opus"}`)
	before := m.files()
	if err := i.Apply(p); !errors.Is(err, install.ErrChanged) {
		t.Errorf("the error is %v", err)
	}
	m.same("after the error", before)
}

// TestRevert: an install whose proof fails leaves nothing behind, and one over
// an older install leaves the older one.
func TestRevert(t *testing.T) {
	m := newMachine(t)
	m.write("home/.gemini/settings.json", "{\n  // mine\n}\n")
	before := m.files()
	i := install.New(m.places)
	if err := i.Revert(m.install("gemini", install.User)); err != nil {
		t.Fatal(err)
	}
	m.same("after the revert", before)
	if s, err := i.Status("gemini"); err != nil || len(s.Installs) != 0 {
		t.Errorf("status: %+v, %v", s, err)
	}

	m.install("gemini", install.User)
	older := m.files()
	m.places.Program = "/elsewhere/mayi"
	i = install.New(m.places)
	p := m.install("gemini", install.User)
	if p.Empty() {
		t.Fatal("another program is no change")
	}
	if err := i.Revert(p); err != nil {
		t.Fatal(err)
	}
	m.same("after the second revert", older)
	m.uninstall("gemini", install.User)
	m.same("after the uninstall", before)
}

// TestMoved: where mayi has moved, status says so, another install mends it in
// place, and uninstalling still gives back the bytes of before.
func TestMoved(t *testing.T) {
	m := newMachine(t)
	m.write("bin/mayi", "#!/bin/sh\n")
	if err := os.Chmod(m.path("bin/mayi"), 0o755); err != nil {
		t.Fatal(err)
	}
	m.write("home/.claude/settings.json", "{\"hooks\": {\"PreToolUse\": [{\"hooks\": []}]}}\n")
	before := m.files()
	m.install("claude-code", install.User) // by /opt/mayi/bin/mayi, which is not there
	m.places.Program = m.path("bin/mayi")
	i := install.New(m.places)
	s, err := i.Status("claude-code")
	if err != nil || len(s.Installs) != 1 || !strings.Contains(strings.Join(s.Installs[0].Problems, " "), "mayi has moved") {
		t.Fatalf("status: %+v, %v", s, err)
	}
	m.install("claude-code", install.User)
	s, err = i.Status("claude-code")
	if err != nil || len(s.Installs) != 1 || len(s.Installs[0].Problems) != 0 || s.Installs[0].Program != m.path("bin/mayi") {
		t.Errorf("status: %+v, %v", s, err)
	}
	if n := strings.Count(m.files()["home/.claude/settings.json"], "hook claude-code"); n != 2 {
		t.Errorf("there are %d hooks in %s", n, m.files()["home/.claude/settings.json"])
	}
	m.uninstall("claude-code", install.User)
	m.same("after the uninstall", before)
}

// TestLostState: entries are recognised without what mayi remembers.
func TestLostState(t *testing.T) {
	m := newMachine(t)
	m.write("home/.qwen/settings.json", "{\n  \"theme\": \"x\"\n}\n")
	m.install("qwen", install.User)
	if err := os.RemoveAll(m.places.StateDir); err != nil {
		t.Fatal(err)
	}
	i := install.New(m.places)
	if p, err := i.Plan("qwen", install.User); err != nil || !p.Empty() {
		t.Errorf("the entries are not recognised: %+v, %v", p, err)
	}
	m.uninstall("qwen", install.User)
	if text := m.files()["home/.qwen/settings.json"]; strings.Contains(text, "mayi") || !strings.Contains(text, `"theme": "x"`) {
		t.Errorf("left is %s", text)
	}
}

// TestSeveralAtOnce: installs that run at the same time write each entry once.
func TestSeveralAtOnce(t *testing.T) {
	m := newMachine(t)
	m.write("home/.claude/settings.json", "{}\n")
	before := m.files()
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 20 {
				i := install.New(m.places)
				p, err := i.Plan("claude-code", install.User)
				if err == nil {
					err = i.Apply(p)
				}
				if err == nil {
					return
				}
				if !errors.Is(err, install.ErrChanged) {
					t.Error(err)
					return
				}
			}
			t.Error("never came to an end")
		}()
	}
	wg.Wait()
	if n := strings.Count(m.files()["home/.claude/settings.json"], "hook claude-code"); n != 2 {
		t.Errorf("there are %d hooks in %s", n, m.files()["home/.claude/settings.json"])
	}
	m.uninstall("claude-code", install.User)
	m.same("after the uninstall", before)
}

// TestOneAtATime: while another process installs, nothing is written.
func TestOneAtATime(t *testing.T) {
	m := newMachine(t)
	m.write("home/.claude/settings.json", "{}\n")
	before := m.files()
	i := install.New(m.places)
	p, err := i.Plan("claude-code", install.User)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(m.path("state/install"), 0o700); err != nil {
		t.Fatal(err)
	}
	d, err := os.Open(m.path("state/install"))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := unix.Flock(int(d.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- i.Apply(p) }()
	time.Sleep(100 * time.Millisecond) // time to do it wrong
	m.same("while another one holds the lock", before)
	if err := unix.Flock(int(d.Fd()), unix.LOCK_UN); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(m.files()["home/.claude/settings.json"], "hook claude-code") {
		t.Error("nothing was written afterwards")
	}
}

func TestFind(t *testing.T) {
	m := newMachine(t)
	t.Setenv("PATH", m.path("bin"))
	i := install.New(m.places)
	for _, name := range install.Names() {
		if f, err := i.Find(name); err != nil || f.Any() {
			t.Errorf("%s was found on an empty machine: %+v, %v", name, f, err)
		}
	}
	m.write("home/.claude/x", "")
	if f, err := i.Find("claude-code"); err != nil || f.Folder != m.path("home/.claude") {
		t.Errorf("found %+v, %v", f, err)
	}
	m.write("bin/gemini", "")
	if err := os.Chmod(m.path("bin/gemini"), 0o755); err != nil {
		t.Fatal(err)
	}
	if f, err := i.Find("gemini"); err != nil || f.Program != m.path("bin/gemini") {
		t.Errorf("found %+v, %v", f, err)
	}
	if _, err := i.Find("claude"); err == nil || !strings.Contains(err.Error(), "did you mean claude-code?") {
		t.Errorf("the error is %v", err)
	}
}

// TestVariables: agents whose folders are elsewhere.
func TestVariables(t *testing.T) {
	for name, c := range map[string]struct{ variable, value, file string }{
		"claude-code": {"CLAUDE_CONFIG_DIR", "else", "else/settings.json"},
		"codex":       {"CODEX_HOME", "else", "else/hooks.json"},
		"gemini":      {"GEMINI_CLI_HOME", "else", "else/.gemini/settings.json"},
		"qwen":        {"QWEN_HOME", "else", "else/settings.json"},
		"copilot":     {"COPILOT_HOME", "else", "else/hooks/mayi.json"},
		"opencode":    {"OPENCODE_CONFIG_DIR", "else", "else/plugins/mayi.js"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.places.Getenv = func(v string) string {
				if v == c.variable {
					return m.path(c.value)
				}
				return ""
			}
			m.install(name, install.User)
			if _, err := os.Stat(m.path(c.file)); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestScopes: what an agent does not have is an error that says what it has.
func TestScopes(t *testing.T) {
	m := newMachine(t)
	i := install.New(m.places)
	if _, err := i.Plan("picoclaw", install.Project); err == nil || !strings.Contains(err.Error(), "it has user") {
		t.Errorf("the error is %v", err)
	}
	m.places.Workspace = ""
	if _, err := install.New(m.places).Plan("claude-code", install.Project); err == nil || !strings.Contains(err.Error(), "there is no project here") {
		t.Errorf("the error is %v", err)
	}
}

// TestWithoutCodex: the hook is installed, and the note says what is missing.
func TestWithoutCodex(t *testing.T) {
	m := newMachine(t)
	t.Setenv("PATH", m.path("bin"))
	p := m.install("codex", install.User)
	if len(p.Changes) != 1 || filepath.Base(p.Changes[0].File) != "hooks.json" || !strings.Contains(strings.Join(p.Notes, " "), "start codex and choose to trust the hooks") {
		t.Errorf("the plan is %+v", p)
	}
}

// TestSwitchedOff: status says what takes the hooks away.
func TestSwitchedOff(t *testing.T) {
	for _, c := range []struct{ agent, file, text string }{
		{"claude-code", "ws/.claude/settings.local.json", `{"disableAllHooks": true}`},
		{"codex", "ws/.codex/config.toml", "[features]\nhooks = false\n"},
		{"gemini", "ws/.gemini/settings.json", `{"hooksConfig": {"enabled": false}}`},
		{"gemini", "ws/.gemini/settings.json", `{"hooksConfig": {"disabled": ["mayi"]}}`},
		{"qwen", "ws/.qwen/settings.json", `{"disableAllHooks": true}`},
		{"copilot", "ws/.github/copilot/settings.json", `{"disableAllHooks": true}`},
		{"copilot", "ws/.claude/settings.json", `{"disableAllHooks": true}`},
	} {
		t.Run(c.agent, func(t *testing.T) {
			m := newMachine(t)
			m.install(c.agent, install.User)
			m.write(c.file, c.text)
			s, err := install.New(m.places).Status(c.agent)
			if err != nil || len(s.Installs) != 1 || !strings.Contains(strings.Join(s.Installs[0].Problems, " "), m.path(c.file)) {
				t.Errorf("status: %+v, %v", s, err)
			}
		})
	}
}
