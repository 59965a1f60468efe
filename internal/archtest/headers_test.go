package archtest

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// maxLines is the longest that a file of ours may be before it has two duties.
const maxLines = 500

func tracked(t *testing.T, root string) []string {
	t.Helper()
	out, err := exec.Command("git", "-C", root, "ls-files").Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	return strings.Fields(string(out))
}

func root(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		t.Fatalf("go list -m: %v", err)
	}
	return strings.TrimSpace(string(out))
}

func TestFilesAreSmall(t *testing.T) {
	top := root(t)
	for _, name := range tracked(t, top) {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(top, name))
		if err != nil {
			continue // deleted in the working tree
		}
		if n := bytes.Count(data, []byte("\n")); n > maxLines {
			t.Errorf("%s has %d lines; over %d it has more than one duty", name, n, maxLines)
		}
	}
}

// TestTheEnvironmentIsReadInOnePlace: a program whose behaviour hangs on
// variables that are read all over cannot be understood.
func TestTheEnvironmentIsReadInOnePlace(t *testing.T) {
	top := root(t)
	for _, name := range tracked(t, top) {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "examples/") {
			continue
		}
		if strings.HasPrefix(name, "pkg/config/") || strings.HasPrefix(name, "cmd/") || strings.HasPrefix(name, "bench/") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(top, name))
		if err != nil {
			continue
		}
		scan := bufio.NewScanner(bytes.NewReader(data))
		for n := 1; scan.Scan(); n++ {
			for _, call := range []string{"os.Getenv(", "os.LookupEnv(", "os.Environ(", "os.ExpandEnv("} {
				if strings.Contains(scan.Text(), call) {
					t.Errorf("%s:%d reads the environment; pkg/config and cmd do", name, n)
				}
			}
		}
	}
}
