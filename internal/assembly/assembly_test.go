package assembly_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"mayi/internal/assembly"
	"mayi/pkg/config"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
	"mayi/pkg/store"
)

func open(t *testing.T, override string) *assembly.App {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir+"/space", 0o755); err != nil {
		t.Fatal(err)
	}
	app, err := assembly.Open(assembly.Options{Config: config.Options{
		Cwd: dir + "/space", Workspace: dir + "/space", Home: dir, User: "dev",
		UserFile: dir + "/settings.json", StateDir: dir + "/state", Override: []byte(override),
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { app.Close() })
	return app
}

func bash(line string) gate.Request {
	return gate.Request{Session: "s", Caller: "test", Tool: permissions.Tool{Name: "bash", Builtin: true}, Input: map[string]any{"command": line}}
}

func records(t *testing.T, app *assembly.App) []store.Record {
	t.Helper()
	var out []store.Record
	for r, err := range app.Store.Audit().Records(context.Background(), store.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// TestTheRecordTellsWhatHappened: who called what, what was decided by which
// rule, what it would touch, and what came of it.
func TestTheRecordTellsWhatHappened(t *testing.T) {
	ctx, app := context.Background(), open(t, `{"permissions":{"allow":["command(touch)"],"deny":["command(rm)"]}}`)
	v := app.Gate.Decide(ctx, bash("touch a"))
	end, err := app.Gate.Begin(ctx, v)
	if err != nil {
		t.Fatal(err)
	}
	end("exit 3")
	if _, err := app.Gate.Begin(ctx, app.Gate.Decide(ctx, bash("rm a"))); err == nil {
		t.Fatal("a denied call began")
	}
	all := records(t, app)
	if len(all) != 3 {
		t.Fatalf("%d records: %+v", len(all), all)
	}
	began, ended, refused := all[0], all[1], all[2]
	if began.Event != "begin" || began.Session != "s" || began.Caller != "test" || began.Tool != "bash" || began.Text != "touch a" ||
		began.Verdict != "allow" || len(began.Rules) != 1 || began.Rules[0] != "command(touch)" || began.Call != v.Hash || began.Policy != v.Policy {
		t.Errorf("begin: %+v", began)
	}
	if n := len(began.Effects); n == 0 || began.Effects[n-1].Path == "" && began.Effects[0].Path == "" {
		t.Errorf("the record names no path: %+v", began.Effects)
	}
	if ended.Event != "end" || ended.About != began.Seq || ended.Exit == nil || *ended.Exit != 3 || ended.Outcome != "exit 3" {
		t.Errorf("end: %+v", ended)
	}
	if refused.Event != "refused" || refused.Verdict != "deny" || len(refused.Rules) != 1 || refused.Rules[0] != "command(rm)" || refused.Reason == "" {
		t.Errorf("refused: %+v", refused)
	}
	if _, err := app.Store.Audit().Verify(ctx, store.VerifyOptions{}); err != nil {
		t.Error(err)
	}
}

// TestNothingIsOpenedForADecision: the store is made by what needs it.
func TestNothingIsOpenedForADecision(t *testing.T) {
	app := open(t, `{"readOnlyShell":true}`)
	if v := app.Gate.Decide(context.Background(), bash("ls")); v.Verdict != permissions.Allow {
		t.Fatal(v.Reason)
	}
	if app.Store.Exists() {
		t.Error("deciding made a database")
	}
}

// TestBrokenKnowledgeBreaksThePolicy: an entry that cannot be used is a problem
// of the settings, under which nothing runs.
func TestBrokenKnowledgeBreaksThePolicy(t *testing.T) {
	app := open(t, `{"executionMode":"auto","commands":{"deploy":{"operands":"nonsense-role"}}}`)
	if len(app.Settings.Problems) == 0 {
		t.Fatal("no problem is named")
	}
	if v := app.Gate.Decide(context.Background(), bash("true")); v.Verdict != permissions.Deny {
		t.Errorf("%s: %s", v.Verdict, v.Reason)
	}
}
