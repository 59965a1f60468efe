package ledger_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"mayi/internal/assembly"
	"mayi/internal/mcp/ledger"
	"mayi/pkg/config"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
	"mayi/pkg/store"
)

// TestTheRecordIsWhole: what is written on this way, by several at once, is one
// log with what the store writes itself, and nothing is missing from it.
func TestTheRecordIsWhole(t *testing.T) {
	ctx := context.Background()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir+"/space", 0o755); err != nil {
		t.Fatal(err)
	}
	open := func(o assembly.Options) *assembly.App {
		t.Helper()
		o.Config = config.Options{
			Cwd: dir + "/space", Workspace: dir + "/space", Home: dir, User: "dev", UserFile: dir + "/settings.json", StateDir: dir + "/state",
			Override: []byte(`{"permissions":{"allow":["mcp(s.*)"]}}`),
		}
		app, err := assembly.Open(o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { app.Close() })
		return app
	}
	apps := []*assembly.App{open(assembly.Options{Append: ledger.Append}), open(assembly.Options{Append: ledger.Append}), open(assembly.Options{})}
	const each = 30
	var wg sync.WaitGroup
	for n, app := range apps {
		wg.Go(func() {
			for i := range each {
				v := app.Gate.Decide(ctx, gate.Request{Session: "s", Caller: "test", Tool: permissions.Tool{Server: "s", Name: "t"},
					Input: map[string]any{"name": "t", "arguments": map[string]any{"n": fmt.Sprint(n, " ", i)}}})
				end, err := app.Gate.Begin(ctx, v)
				if err != nil {
					t.Error(err)
					return
				}
				end("answered")
			}
		})
	}
	wg.Wait()
	count := map[string]int{}
	for r, err := range apps[0].Store.Audit().Records(ctx, store.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		count[r.Event]++
	}
	if want := each * len(apps); count["begin"] != want || count["end"] != want || len(count) != 2 {
		t.Errorf("%v, want %d of each", count, want)
	}
	if _, err := apps[0].Store.Audit().Verify(ctx, store.VerifyOptions{}); err != nil {
		t.Error(err)
	}
}
