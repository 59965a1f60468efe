package runner_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"mayi/internal/runner"
)

func TestPlain(t *testing.T) {
	for _, line := range []string{"true", "git status -s", "  ls   -la  /tmp ", "rg --glob=a.go x", "./tool.sh a=b", "/bin/echo a@b:c,d%e"} {
		words, ok := runner.Plain(line)
		if !ok || !slices.Equal(words, strings.Fields(line)) {
			t.Errorf("%q: %q, %v", line, words, ok)
		}
	}
	for _, line := range []string{
		"", "  ", "a=b c", "true &", "! true", "true;", "(true)", "ls ~", "ls *", "ls {a,b}", "ls $x", "ls `x`", "ls 'a b'", `ls \a`, "ls # c", "ls\ttab", "ls\nls",
		"a|b", "a>b", "a<b", "ls [a]", "ls a?", "ls é", "ls\u00a0a", "time ls", "exec ls", "cd x", ". x", ": x", "echo x", "kill 1", "if", "test -f x",
	} {
		if words, ok := runner.Plain(line); ok {
			t.Errorf("%q is plain: %q", line, words)
		}
	}
}

// TestBashDoesNothingElse: of bash's own words none is taken for a program's.
func TestBashDoesNothingElse(t *testing.T) {
	out, err := exec.Command("bash", "-c", "compgen -b; compgen -k").Output()
	if err != nil {
		t.Fatal(err)
	}
	own := strings.Fields(string(out))
	if len(own) < 50 {
		t.Fatalf("bash names only %q", own)
	}
	for _, word := range own {
		if _, ok := runner.Plain(word); ok && word != "true" && word != "false" {
			t.Errorf("%q is bash's own", word)
		}
	}
}
