package invoke_test

import (
	"errors"
	"testing"

	"mayi/internal/confine"
	"mayi/internal/invoke"
	"mayi/internal/session"
)

// TestConfinement: a flag loosens nothing that the settings require, and a word
// that is not known is no mode.
func TestConfinement(t *testing.T) {
	for _, c := range []struct{ flag, set, want string }{
		{"", confine.Auto, confine.Auto},
		{"", confine.Required, confine.Required},
		{confine.Off, confine.Auto, confine.Off},
		{confine.Required, confine.Off, confine.Required},
		{confine.Off, confine.Required, confine.Required},
		{confine.Auto, confine.Required, confine.Required},
	} {
		if got, err := (invoke.Flags{Sandbox: c.flag}).Confinement(c.set); got != c.want || err != nil {
			t.Errorf("--sandbox %q over %q is %q (%v), want %q", c.flag, c.set, got, err, c.want)
		}
	}
	var wrong invoke.Misuse
	if got, err := (invoke.Flags{Sandbox: "OFF"}).Confinement(confine.Required); got != "" || !errors.As(err, &wrong) {
		t.Errorf("an unknown word is %q (%v)", got, err)
	}
}

// TestName: what is nearer to the call wins.
func TestName(t *testing.T) {
	for _, c := range []struct{ flag, environment, want string }{
		{"a", "b", "a"},
		{"a", "", "a"},
		{"", "b", "b"},
		{"", "", session.Terminal()},
	} {
		if got := (invoke.Flags{Session: c.flag}).Name(c.environment); got != c.want {
			t.Errorf("--session %q and %q give %q, want %q", c.flag, c.environment, got, c.want)
		}
	}
}

func TestConfigIsThatOfTheFlags(t *testing.T) {
	dir := t.TempDir()
	o, err := invoke.Flags{Cwd: dir, Workspace: dir, Mode: "plan", Settings: "{}"}.Config()
	if err != nil || o.Cwd != dir || o.Workspace != dir || o.Mode != "plan" || string(o.Override) != "{}" {
		t.Errorf("%+v (%v)", o, err)
	}
	for _, f := range []invoke.Flags{{Cwd: dir + "/gone"}, {Workspace: dir + "/gone"}, {Mode: "AUTO"}, {Mode: "yolo"}} {
		var wrong invoke.Misuse
		if _, err := f.Config(); !errors.As(err, &wrong) {
			t.Errorf("%+v: %v", f, err)
		}
	}
}

// TestLine: one argument is a command line, several are its words.
func TestLine(t *testing.T) {
	for want, args := range map[string][]string{
		"ls; rm x":              {"ls; rm x"},
		`ls '; rm x'`:           {"ls", "; rm x"},
		`'A=b' ''`:              {"A=b", ""},
		`echo 'it'\''s' '$(x)'`: {"echo", "it's", "$(x)"},
	} {
		if got := invoke.Line(args); got != want {
			t.Errorf("%q become %s, want %s", args, got, want)
		}
	}
}
