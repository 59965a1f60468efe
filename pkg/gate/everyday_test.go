package gate_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mayi/pkg/permissions"
)

// TestEveryday decides the command lines of testdata/everyday.txt, the way a
// coding agent types them, under the allow rules that a person who works like
// that has. At least 95 of 100 must be allowed with no question, and none may
// be refused.
func TestEveryday(t *testing.T) {
	p := newPlace(t)
	p.project(t)
	g := p.gate(t, allowing(t, "testdata/everyday_rules.txt"))
	commands := everyday(t, "testdata/everyday.txt")
	if len(commands) < 300 {
		t.Fatalf("only %d command lines", len(commands))
	}
	allowed := 0
	var asked []string
	for _, line := range commands {
		v := g.Decide(context.Background(), bash("s", line))
		switch v.Verdict {
		case permissions.Allow:
			allowed++
		case permissions.Deny:
			t.Errorf("refused: %s: %s", line, v.Reason)
		default:
			asked = append(asked, line+"\n    "+v.Reason)
		}
	}
	t.Logf("%d of %d command lines are allowed", allowed, len(commands))
	if allowed*100 < len(commands)*95 {
		t.Errorf("%d of %d are asked about:\n%s", len(asked), len(commands), strings.Join(asked, "\n"))
	}
	if testing.Verbose() {
		t.Log(strings.Join(asked, "\n"))
	}
}

// everyday reads command lines: one a line, or between "{{{" and "}}}".
func everyday(t *testing.T, file string) []string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out, block []string
	open := false
	for line := range strings.SplitSeq(string(data), "\n") {
		switch {
		case line == "{{{":
			open = true
		case line == "}}}":
			out, block, open = append(out, strings.Join(block, "\n")), nil, false
		case open:
			block = append(block, line)
		case line != "" && !strings.HasPrefix(line, "#"):
			out = append(out, line)
		}
	}
	return out
}

func allowing(t *testing.T, file string) string {
	t.Helper()
	rules := everyday(t, file)
	out, err := json.Marshal(map[string]any{"permissions": map[string]any{"allow": rules}})
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// project puts a small project into the workspace, as a git repository where
// there is git.
func (p *place) project(t *testing.T) {
	t.Helper()
	files := map[string]string{
		"go.mod": "module app\n", "README.md": "# app\n", "package.json": `{"scripts":{}}`, "data.txt": "a\n", "data.csv": "a,b\n",
		"a.txt": "a\n", "b.txt": "b\n", "src/main.go": "package main\n", "src/a.go": "package main\n", "src/b.go": "package main\n",
		"sub/x.txt": "x\n", "gradlew": "", "app.log": "", ".venv/bin/activate": "", "script.sh": "", "script.py": "", "list.txt": "a\n",
		"app/[id]/page.tsx": "", "docs/über.md": "",
	}
	for name, text := range files {
		full := filepath.Join(p.space, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p.git(t, "init", "-q")
	p.git(t, "add", "-A")
}

// git runs git in the workspace; without git there is no repository.
func (p *place) git(t *testing.T, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		return
	}
	c := exec.Command("git", args...)
	c.Dir, c.Env = p.space, []string{"HOME=" + p.home, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1"}
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
}
