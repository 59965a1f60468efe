package mayi_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mayi"
	"mayi/pkg/sandbox"
)

// helper is what a program that embeds the gate gets from Main.
var helper mayi.Helper

func TestMain(m *testing.M) {
	helper = mayi.Main()
	os.Exit(m.Run())
}

func needsSandbox(t *testing.T) {
	t.Helper()
	for _, p := range sandbox.Probes() {
		if !p.OK {
			t.Skipf("this machine cannot confine: %s: %s", p.Name, p.Detail)
		}
	}
}

// reads is a command that reads a file whose name does not stand in it.
func reads(path string) string {
	return `python3 -c "print(open('/'.join(['` + strings.ReplaceAll(path, "/", "','") + `'])).read())"`
}

// TestRunIsConfined: by default, and where the settings require it.
func TestRunIsConfined(t *testing.T) {
	needsSandbox(t)
	outside, err := os.MkdirTemp("/srv", "mayi-library-")
	if err != nil {
		t.Skipf("needs a folder outside of the temporary ones: %v", err)
	}
	defer os.RemoveAll(outside)
	secret := filepath.Join(outside, "secret")
	if err := os.WriteFile(secret, []byte("for nobody"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, setting := range []string{``, `,"sandbox":"required"`} {
		said := ""
		g := open(t, func(o *mayi.Options) {
			o.Settings = `{"executionMode":"auto"` + setting + `}`
			o.Say = func(text string) { said += text }
		})
		var out bytes.Buffer
		exit, err := g.Run(context.Background(), reads(secret), &out, &out)
		if err != nil || exit == 0 || strings.Contains(out.String(), "for nobody") || !strings.Contains(said, secret) {
			t.Errorf("%q: exit %d, %v, printed %q, said %q", setting, exit, err, out.String(), said)
		}
		out.Reset()
		if exit, err := g.Run(context.Background(), "echo kept > a; cat a; exit 3", &out, &out); exit != 3 || err != nil || out.String() != "kept\n" {
			t.Errorf("%q: exit %d, %v, printed %q", setting, exit, err, out.String())
		}
	}
}

// TestWhatTheKernelHoldsIsNotAskedAbout: and without the kernel, it is.
func TestWhatTheKernelHoldsIsNotAskedAbout(t *testing.T) {
	needsSandbox(t)
	const line = `cat "$(cat list)"`
	for _, confined := range []bool{true, false} {
		var space string
		asked := 0
		g := open(t, func(o *mayi.Options) {
			o.Settings, space = `{"permissions":{"allow":["command(cat)"]}}`, o.Workspace
			o.Ask = func(context.Context, mayi.Question) (mayi.Answer, error) {
				asked++
				return mayi.Answer{Choice: "no", By: "test"}, nil
			}
			if !confined {
				o.Helper = mayi.Helper{}
			}
		})
		for name, text := range map[string]string{"list": "a", "a": "inside\n"} {
			if err := os.WriteFile(filepath.Join(space, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if v := g.Decide(context.Background(), mayi.Command(line)); v.Verdict != mayi.Ask {
			t.Errorf("for a tool of the agent's own: %s", v.Verdict)
		}
		var out bytes.Buffer
		_, err := g.Run(context.Background(), line, &out, &out)
		if ran := err == nil && out.String() == "inside\n"; ran != confined || (asked == 0) != confined || !ran && !errors.Is(err, mayi.ErrRefused) {
			t.Errorf("confined %v: asked %d times, printed %q, %v", confined, asked, out.String(), err)
		}
	}
}

// TestWithoutMainRunSaysSo: auto runs without confinement, and says why.
func TestWithoutMainRunSaysSo(t *testing.T) {
	g := open(t, func(o *mayi.Options) { o.Helper, o.Say = mayi.Helper{}, nil })
	var out, errs bytes.Buffer
	if exit, err := g.Run(context.Background(), "echo hello", &out, &errs); exit != 0 || err != nil || out.String() != "hello\n" || !strings.Contains(errs.String(), "mayi.Main") {
		t.Errorf("exit %d, %v, %q, %q", exit, err, out.String(), errs.String())
	}
}
