package gate_test

import (
	"context"
	"os"
	"testing"

	"mayi/pkg/permissions"
)

// A checkout may hold a folder that looks like a bare repository, and git run
// there runs what its settings name.
func TestGitInABareRepositoryIsAskedAbout(t *testing.T) {
	p := newPlace(t)
	for _, dir := range []string{"/.git/objects", "/.git/refs", "/vendor/x/objects", "/vendor/x/refs", "/vendor/y"} {
		if err := os.MkdirAll(p.space+dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"/.git/HEAD", "/vendor/x/HEAD", "/vendor/y/HEAD"} {
		if err := os.WriteFile(p.space+file, []byte("ref: refs/heads/main\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	g := p.gate(t, `{"readOnlyShell":true,"permissions":{"allow":["command(git)"]}}`)
	for line, want := range map[string]permissions.Verdict{
		"git status":                                    permissions.Allow,
		"git -C vendor log":                             permissions.Allow,
		"git -C vendor/y log":                           permissions.Allow,
		"cd vendor && git diff":                         permissions.Allow,
		"git -C vendor/x log":                           permissions.Ask,
		"cd vendor/x && git status":                     permissions.Ask,
		"cd vendor/x/refs; git status":                  permissions.Ask,
		"timeout 5 git -C ./vendor/../vendor/x log":     permissions.Ask,
		"for d in vendor/*/; do git -C $d log; done":    permissions.Ask,
		"for d in vendor/y*/; do git -C $d log; done":   permissions.Allow,
		"find . -type d -exec git -C {} status ';'":     permissions.Ask,
		"for d in vendor/[xy]; do (cd $d; git x); done": permissions.Ask,
	} {
		if got := g.Decide(context.Background(), bash("s", line)); got.Verdict != want {
			t.Errorf("%s: %v (%s), want %v", line, got.Verdict, got.Reason, want)
		}
	}
}
