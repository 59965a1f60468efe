package install_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"mayi/internal/install"
)

// TestOddPaths: mayi may lie anywhere. What an agent is told to call is that
// program and nothing else, or the install says why it cannot be.
func TestOddPaths(t *testing.T) {
	for _, c := range []struct{ folder, base, refused string }{
		{"with space", "mayi", ""},
		{"it's", "mayi", ""},
		{`a"b`, "mayi", ""},
		{"a`id`b", "mayi", ""},
		{"100%PATH%", "mayi", ""},
		{"günter-日本", "mayi", ""},
		{"a;b&c|d>e", "mayi", ""},
		{"my hook codex here", "mayi", ""},
		{"{env:HOME}", "mayi", ""},
		{"-k1 !! ~ *?[x]", "mayi", ""},
		{"plain", "mayi-2.0", ""},
		{"$HOME", "mayi", "gemini qwen"},
		{"${HOME}x", "mayi", "gemini qwen"},
		{"line\nbreak", "mayi", "all"},
		{"tab\there", "mayi", "all"},
		{`back\slash`, "mayi", "all"},
		{"latin\xe9", "mayi", "all"},
		{"hid\u202eden", "mayi", "all"},
		{"plain", "mayi old", "all"},
		{"plain", "mayi's", "all"},
	} {
		for name, words := range right {
			if name == "opencode" && !refusedBy(c.refused, name) && !strings.ContainsAny(c.folder, "'\"`$k本") {
				continue // it is tried with the program that runs it, which takes its time
			}
			refused := refusedBy(c.refused, name)
			t.Run(name+"/"+c.folder+"/"+c.base, func(t *testing.T) {
				m := newMachine(t)
				m.places.Timeout, _ = exec.LookPath("timeout")
				dir := m.path("bin") + "/" + c.folder
				if err := os.MkdirAll(dir, 0o755); err != nil {
					t.Skip("this file system has no such name:", err)
				}
				m.places.Program = dir + "/" + c.base
				if err := os.WriteFile(m.places.Program, []byte(hookScript(say(words.deny), say(words.pass))), 0o755); err != nil {
					t.Fatal(err)
				}
				before := m.files()
				_, err := install.New(m.places).Plan(name, install.User)
				if refused {
					if err == nil || !strings.Contains(err.Error(), "put a link to it") {
						t.Errorf("not refused: %v", err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				m.install(name, install.User)
				proofs, err := install.New(m.places).Prove(name, install.User)
				if failed := install.Failed(proofs); err != nil || failed != "" || len(proofs) < 4 {
					t.Errorf("%v %s %+v", err, failed, proofs)
				}
				if p, err := install.New(m.places).Plan(name, install.User); err != nil || !p.Empty() {
					t.Errorf("a second install would change something: %v", err)
				}
				if s, err := install.New(m.places).Status(name); err != nil || len(s.Installs) != 1 || len(s.Installs[0].Problems) > 0 || s.Installs[0].Program != m.places.Program {
					t.Errorf("status: %+v, %v", s, err)
				}
				m.uninstall(name, install.User)
				m.same("after the uninstall", before)
			})
		}
	}
}

// TestOddTimeout: so may the program that ends a mayi that hangs.
func TestOddTimeout(t *testing.T) {
	m := newMachine(t)
	real, err := exec.LookPath("timeout")
	if err != nil {
		t.Skip("there is no timeout on the PATH")
	}
	dir := m.path("bin") + "/it's mine"
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	m.places.Timeout = dir + "/timeout"
	if err := os.Symlink(real, m.places.Timeout); err != nil {
		t.Fatal(err)
	}
	m.places.Program = m.path("bin/mayi")
	if err := os.WriteFile(m.places.Program, []byte(hookScript(say(right["qwen"].deny), say(right["qwen"].pass))), 0o755); err != nil {
		t.Fatal(err)
	}
	m.install("qwen", install.User)
	proofs, err := install.New(m.places).Prove("qwen", install.User)
	if failed := install.Failed(proofs); err != nil || failed != "" {
		t.Errorf("%v %s", err, failed)
	}
}

func refusedBy(list, agent string) bool {
	return list == "all" || strings.Contains(" "+list+" ", " "+agent+" ")
}
