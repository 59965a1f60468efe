package confine_test

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"mayi/internal/confine"
	"mayi/internal/runner"
	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

// TestModesAndProtectedPathsInAJob: what a script does is held to the mode and to
// protected paths as the command line would be.
func TestModesAndProtectedPathsInAJob(t *testing.T) {
	const asks = `"permissions":{"allow":["command(sh)"],"ask":["read(secrets/**)","write(infra/**)"]}`
	for _, c := range []struct {
		settings, line, script string
		answer                 approval.Choice
		done                   bool
		asked                  int
	}{
		{`{"executionMode":"plan","readOnlyShell":true,` + asks + `}`, "cat secrets/key && echo DONE", "", approval.Once, true, 1},
		{`{"executionMode":"plan","readOnlyShell":true,` + asks + `}`, "cat secrets/key && echo DONE", "", "", false, 0},
		{`{"executionMode":"plan","readOnlyShell":true,` + asks + `}`, "sh s.sh", "echo x > infra/old", approval.Session, false, 0},
		{`{"executionMode":"auto",` + asks + `}`, "./s.sh", "echo x > infra/old", approval.Once, true, 1},
		{`{"executionMode":"auto",` + asks + `}`, "./s.sh", "echo x > infra/old", "", false, 0},
		{`{"executionMode":"auto","dangerouslySkipPermissions":true,` + asks + `}`, "./s.sh", "echo x > infra/old; cat secrets/key", "", true, 0},
		{`{"executionMode":"auto","maxExecutionMode":"accept-edits","dangerouslySkipPermissions":true,` + asks + `}`, "sh s.sh", "echo x > infra/old", "", false, 0},
		{`{"protectedPaths":["infra/**"],"permissions":{"allow":["command(sh)"]}}`, "sh s.sh", "echo x > infra/old", "", false, 0},
		{`{"protectedPaths":["infra/**"],"permissions":{"allow":["command(sh)"]}}`, "sh s.sh", "echo x > infra/old", approval.Once, true, 1},
		{`{"protectedPaths":["infra/**"],` + asks + `}`, "sh s.sh", "echo x > infra/old", approval.Once, true, 1},
		{`{"protectedPaths":["infra/**"],` + asks + `}`, "echo x > infra/old && echo DONE", "", approval.Once, true, 1},
		{`{"protectedPaths":["infra/**"],` + asks + `}`, "sh s.sh", "echo x > infra/old", "", false, 0},
	} {
		r := ground(t, `"ask":[]`)
		r.open(c.settings)
		r.file(r.space+"/s.sh", "#!/bin/sh\nset -e; "+c.script+"; echo DONE")
		if err := os.Chmod(r.space+"/s.sh", 0o755); err != nil {
			t.Fatal(err)
		}
		p := &person{answer: c.answer}
		out, said, _ := r.call(c.line, p)
		if strings.Contains(out, "DONE") != c.done || len(p.asked) != c.asked || !c.done && said == "" {
			t.Errorf("%s: %s (%s) %q: printed %q, said %q, asked %+v", c.settings, c.line, c.script, c.answer, out, said, p.asked)
		}
	}
}

// TestOnceIsOneForDecisionAndJobTogether: a permission for one time is used up by
// the call that rests on it, or by the access that it opens, and not by both.
func TestOnceIsOneForDecisionAndJobTogether(t *testing.T) {
	for _, line := range []string{"echo x > infra/old && echo DONE", "sh s.sh", "cat OUT/f && echo DONE", "sh out.sh"} {
		r := ground(t, `"ask":["write(infra/**)"]`)
		r.file(r.space+"/s.sh", "set -e; echo x > infra/old; echo DONE")
		r.file(r.space+"/out.sh", "set -e; cat "+r.outside+"/f; echo DONE")
		r.file(r.outside+"/f", "x")
		for _, g := range []approval.Grant{{Path: r.space + "/infra/old", Write: true}, {Path: r.outside + "/f"}} {
			g.Session, g.Answer = "s", permissions.GrantedOnce
			if err := r.app.Gate.Grants("s").Put(context.Background(), g); err != nil {
				t.Fatal(err)
			}
		}
		line = strings.ReplaceAll(line, "OUT", r.outside)
		if out, said, _ := r.call(line, &person{}); !strings.Contains(out, "DONE") || said != "" {
			t.Errorf("%s: printed %q, said %q", line, out, said)
		}
		if out, said, _ := r.call(line, &person{}); strings.Contains(out, "DONE") || said == "" {
			t.Errorf("%s, again: printed %q, said %q", line, out, said)
		}
	}
	// What was granted once for the path is open to one of two accesses.
	r := ground(t, `"ask":["write(infra/**)"]`)
	r.file(r.space+"/s.sh", "echo x > infra/old && echo FIRST; echo x > infra/old && echo SECOND; echo x > infra/old && echo THIRD")
	g := approval.Grant{Session: "s", Path: r.space + "/infra/old", Write: true, Answer: permissions.GrantedOnce}
	if err := r.app.Gate.Grants("s").Put(context.Background(), g); err != nil {
		t.Fatal(err)
	}
	if out, said, _ := r.call("sh s.sh", &person{}); !strings.Contains(out, "FIRST") || strings.Contains(out, "SECOND") || strings.Contains(out, "THIRD") {
		t.Errorf("printed %q, said %q", out, said)
	}
}

// TestWhatWasTypedIsNotAskedAgain: what was decided for a running job, and asked
// about then, is no news either; what is only near it is.
func TestWhatWasTypedIsNotAskedAgain(t *testing.T) {
	ctx := context.Background()
	for typed, asked := range map[string]int{"echo x > infra/old": 1, "echo x > infra/new": 2, "ls infra": 1, "": 1} {
		r := ground(t, `"ask":["write(infra/**)"]`)
		r.file(r.space+"/s.sh", "echo x > infra/old && echo DONE")
		p := &person{answer: approval.Once}
		decide := func(line string) gate.Verdict {
			v := r.app.Gate.Decide(ctx, gate.Request{Session: "s", Tool: permissions.Tool{Name: "bash", Builtin: true}, Input: map[string]any{"command": line}, Confines: true})
			if v.Verdict == permissions.Ask {
				v, _, _ = r.app.Gate.Ask(ctx, v, p.asker())
			}
			return v
		}
		var since []permissions.Effect
		if typed != "" {
			since = decide(typed).Call.Effects
		}
		v := decide("sh s.sh")
		var buf bytes.Buffer
		_, err := confine.Run(ctx, confine.Job{
			Gate: r.app.Gate, Verdict: v, Mode: confine.Required, Asker: p.asker(), Since: func() []permissions.Effect { return since },
			Command: runner.Command{Text: v.Text, Dir: r.space, Env: []string{"PATH=/usr/bin:/bin"}, Stdout: &buf, Stderr: &buf},
		})
		if err != nil || !strings.Contains(buf.String(), "DONE") || len(p.asked) != asked {
			t.Errorf("%s: printed %q, asked %d times, %v", typed, buf.String(), len(p.asked), err)
		}
	}
}
