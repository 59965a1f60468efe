// Package archtest holds the architecture as a failing test: the direction in
// which data flows, and what the hook's path must not load.
package archtest

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// order is the way of a call, first stage first. A package may import those
// before it, its own sub-packages, and nothing after it.
var order = []string{
	"internal/jsonscan",
	"internal/nearest",
	"internal/filelock",
	"internal/proc",
	"internal/jsonedit",
	"pkg/permissions",
	"pkg/shell/value",
	"pkg/shell/knowledge",
	"pkg/shell",
	"pkg/effects",
	"pkg/patterns",
	"pkg/workspace",
	"pkg/config",
	"pkg/approval",
	"pkg/journal",
	"pkg/store",
	"pkg/gate",
	"pkg/sandbox",
	"internal/runner",
	"internal/ui",
	"internal/wire",
	"internal/explain",
	"internal/record",
	"internal/session",
	"internal/core",
	"internal/assembly",
	"internal/confine",
	"internal/hook",
	"internal/invoke",
	"pkg/tools",
	"pkg/agent",
	"internal/mcp",
	"internal/rpc",
	"internal/acp",
	"", // the public face
	"internal/soundness",
	"internal/install",
	"internal/importer",
	"internal/clitest",
	"internal/onefile",
	"cmd/mayi",
	"cmd/front",
	"internal/corpus",
	"bench",
	"test/e2e/model",
	"test/e2e",
}

// pure packages decide, or prepare a decision, from values alone.
var pure = []string{"pkg/permissions", "pkg/shell/value", "pkg/shell/knowledge", "pkg/shell", "pkg/effects"}

// impure is what a pure package may not import, from the standard library or
// elsewhere.
var impure = []string{"os", "os/exec", "net", "net/http", "time", "syscall", "path/filepath", "unsafe", "runtime", "crypto/rand", "math/rand", "math/rand/v2", "log", "plugin", "database/sql"}

// only says who alone may import a module.
var only = map[string][]string{
	"modernc.org/sqlite":                     {"pkg/store"},
	"github.com/spf13/cobra":                 {"cmd/mayi"},
	"github.com/openai/openai-go":            {"pkg/agent"},
	"github.com/anthropics/anthropic-sdk-go": {"pkg/agent"},
	"github.com/modelcontextprotocol/go-sdk": {"internal/mcp"},
	"github.com/coder/acp-go-sdk":            {"internal/acp"},
	"github.com/tailscale/hujson":            {"pkg/config", "internal/jsonedit"},
	"mvdan.cc/sh/v3/syntax":                  {"pkg/shell"},
	"golang.org/x/net/idna":                  {"pkg/permissions"},
	"github.com/google/jsonschema-go":        {"pkg/tools", "pkg/config"},
	"golang.org/x/mod/sumdb":                 {"pkg/store", "pkg/journal"},
}

// elsewhere are modules of which nobody may import more than named in only.
var elsewhere = []string{"mvdan.cc/sh/v3"}

type listed struct {
	ImportPath string
	Imports    []string
}

func list(t *testing.T) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "mayi/...")
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %s", exit.Stderr)
		}
		t.Fatal(err)
	}
	var all []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if len(all) < 10 {
		t.Fatalf("go list found only %d packages", len(all))
	}
	return all
}

// stage is the longest entry of order that dir is or lies in, -1 for none.
func stage(dir string) int {
	best, at := -1, -1
	for i, s := range order {
		if (dir == s || (s != "" && strings.HasPrefix(dir, s+"/"))) && len(s) > best {
			best, at = len(s), i
		}
	}
	return at
}

func folder(importPath string) string {
	return strings.TrimPrefix(strings.TrimPrefix(importPath, "mayi"), "/")
}

func TestImportsFollowTheWayOfACall(t *testing.T) {
	for _, p := range list(t) {
		dir := folder(p.ImportPath)
		if strings.HasPrefix(dir, "internal/archtest") {
			continue
		}
		from := stage(dir)
		if from < 0 {
			t.Errorf("%s: the folder has no place in the way of a call; give it one in order", p.ImportPath)
			continue
		}
		for _, i := range p.Imports {
			if i != "mayi" && !strings.HasPrefix(i, "mayi/") {
				continue
			}
			if to := stage(folder(i)); to > from {
				t.Errorf("%s imports %s, a later stage", p.ImportPath, i)
			}
		}
	}
}

func TestPurePackagesTouchNothing(t *testing.T) {
	for _, p := range list(t) {
		for _, dir := range pure {
			if folder(p.ImportPath) != dir {
				continue
			}
			for _, i := range p.Imports {
				for _, bad := range impure {
					if i == bad {
						t.Errorf("%s imports %s; a pure package works on values alone", p.ImportPath, i)
					}
				}
			}
		}
	}
}

func TestHeavyModulesStayInTheirPlace(t *testing.T) {
	for _, p := range list(t) {
		dir := folder(p.ImportPath)
		if strings.HasPrefix(dir, "internal/archtest") {
			continue
		}
		for _, i := range p.Imports {
			for module, places := range only {
				if i != module && !strings.HasPrefix(i, module+"/") {
					continue
				}
				if !within(dir, places) {
					t.Errorf("%s imports %s, which only %s may", p.ImportPath, i, strings.Join(places, ", "))
				}
			}
			for _, module := range elsewhere {
				if strings.HasPrefix(i, module) && only[i] == nil {
					t.Errorf("%s imports %s, which nobody may", p.ImportPath, i)
				}
			}
		}
	}
}

func within(dir string, places []string) bool {
	for _, p := range places {
		if dir == p || strings.HasPrefix(dir, p+"/") {
			return true
		}
	}
	return false
}
