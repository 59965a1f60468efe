package reload_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mayi/internal/assembly"
	"mayi/internal/mcp/reload"
	"mayi/pkg/config"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

// patience bounds what must happen; it is never waited for when all is well.
const patience = 30 * time.Second

// TestADenyThatIsAddedCounts: and a file that cannot be read denies everything.
func TestADenyThatIsAddedCounts(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(dir+"/settings.json", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"permissions":{"allow":["mcp(s.t)"]}}`)
	if err := os.Mkdir(dir+"/space", 0o755); err != nil {
		t.Fatal(err)
	}
	app, err := assembly.Open(assembly.Options{Config: config.Options{
		Cwd: dir + "/space", Workspace: dir + "/space", Home: dir, User: "dev", UserFile: dir + "/settings.json", StateDir: dir + "/state",
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	said := make(chan string, 100)
	go func() {
		defer close(done)
		reload.Watch(ctx, app.Gate, app.Config, time.Millisecond, func(s string) { said <- s })
	}()
	defer func() { cancel(); <-done }()
	until := func(want permissions.Verdict) {
		t.Helper()
		for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
			v := app.Gate.Decide(ctx, gate.Request{Tool: permissions.Tool{Server: "s", Name: "t"}, Input: map[string]any{"name": "t"}})
			if v.Verdict == want {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("%s: %s; want %s", v.Verdict, v.Reason, want)
			}
		}
	}
	until(permissions.Allow)
	write(`{"permissions":{"allow":["mcp(s.t)"],"deny":["mcp(s.*)"]}}`)
	until(permissions.Deny)
	write(`{"permissions":{"allow":["mcp(s.t)"]}, "executionMode": "accept-edits"}`)
	until(permissions.Allow)
	write(`{"permissions":`)
	until(permissions.Deny)
	if err := os.Remove(dir + "/settings.json"); err != nil {
		t.Fatal(err)
	}
	until(permissions.Ask)
	if len(said) == 0 {
		t.Error("nobody was told")
	}
}
