package assembly_test

import (
	"context"
	"testing"

	"mayi/pkg/permissions"
)

// TestCommandsAddOrTighten: entries in the settings make a program known, or
// add to what is known of one; they take nothing away.
func TestCommandsAddOrTighten(t *testing.T) {
	for _, c := range []struct {
		entries, line string
		want          permissions.Verdict
	}{
		{`{}`, "fetchlog a", permissions.Ask},
		{`{"fetchlog":{"operands":"read*"}}`, "fetchlog a", permissions.Allow},
		{`{"fetchlog":{"operands":"read*"}}`, "fetchlog /etc/passwd", permissions.Ask},
		{`{"fetchlog":{"operands":"read*"}}`, "fetchlog --new a", permissions.Ask},
		{`{"fetchlog":{"operands":"read*","always":["net-out"]}}`, "fetchlog a", permissions.Ask},
		{`{}`, "rg --sort path x", permissions.Allow},
		{`{"rg":{"options":{"--sort":{"does":["executes: our rg is patched"]}}}}`, "rg --sort path x", permissions.Ask},
		{`{"rg":{"options":{"--sort":{"does":["executes: our rg is patched"]}}}}`, "rg x", permissions.Allow},
		{`{"rm":{"operands":"text*"}}`, "rm a", permissions.Ask},
		{`{"rg":{"flags":"--pre"}}`, "rg --pre ./x foo", permissions.Ask},
		{`{"git":{"commands":{"push":{"operands":"text*"}}}}`, "git push", permissions.Ask},
	} {
		app := open(t, `{"readOnlyShell":true,"commands":`+c.entries+`}`)
		if len(app.Settings.Problems) > 0 {
			t.Errorf("%s: %v", c.entries, app.Settings.Problems)
		}
		if v := app.Gate.Decide(context.Background(), bash(c.line)); v.Verdict != c.want {
			t.Errorf("%s: %s: %s (%s), want %s", c.entries, c.line, v.Verdict, v.Reason, c.want)
		}
	}
}

// TestCommandsSayWhereTheyAreWrong: an entry that cannot be used is named with
// its place.
func TestCommandsSayWhereTheyAreWrong(t *testing.T) {
	app := open(t, "{\n\"commands\": {\"deploy\": {\"operands\": \"nonsense-role\"}}}")
	if n := len(app.Settings.Problems); n != 1 {
		t.Fatalf("%d problems", n)
	}
	if p := app.Settings.Problems[0]; p.Line != 2 || p.Col == 0 || p.Text != `commands: deploy: unknown role "nonsense-role"` {
		t.Errorf("line %d: %s", p.Line, p.Text)
	}
}
