package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestEmbedding runs the program as a person would: one command that needs no
// answer, one that is refused, one that is granted.
func TestEmbedding(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "embed")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	home, space := t.TempDir(), t.TempDir()
	outside := t.TempDir()
	cmd := exec.Command(bin, "echo hello", "ls "+outside, "ls "+outside)
	cmd.Dir = space
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home+"/config", "XDG_STATE_HOME="+home+"/state")
	cmd.Stdin = strings.NewReader("no\n")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text := string(out)
	for _, want := range []string{"echo hello: exit 0", "refused", "once, session or no?"} {
		if !strings.Contains(text, want) {
			t.Errorf("the output lacks %q:\n%s", want, text)
		}
	}
	if n := strings.Count(text, "once, session or no?"); n != 1 {
		t.Errorf("asked %d times; after a no the same question is not asked again:\n%s", n, text)
	}
}
