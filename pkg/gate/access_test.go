package gate_test

import (
	"context"
	"testing"

	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

// running is an allowed call that reaches for things.
func running(t *testing.T, g *gate.Gate, session string) gate.Verdict {
	t.Helper()
	v := g.Decide(context.Background(), bash(session, "python3 x.py"))
	want(t, v, permissions.Allow)
	return v
}

func TestReachKeepsAnEarlierNo(t *testing.T) {
	ctx, p := context.Background(), newPlace(t)
	g := p.gate(t, `{"executionMode":"auto"}`)
	v := running(t, g, "s")
	if err := g.Grants("s").Put(ctx, approval.Grant{Session: "s", Path: p.home, Answer: permissions.GrantDenied}); err != nil {
		t.Fatal(err)
	}
	// A secret and a protected file: a grant for the folder does not open them,
	// a denial of the folder does close them.
	for _, a := range []gate.Access{{Path: p.home + "/.ssh/id_rsa"}, {Path: p.home + "/.bashrc", Write: true}, {Path: p.home + "/x"}} {
		if c := g.Reach(ctx, v, a, answering(approval.Once)); c != approval.No {
			t.Errorf("%+v: %s after a no to the folder", a, c)
		}
	}
}

func TestReachUsesOnceUp(t *testing.T) {
	ctx, p := context.Background(), newPlace(t)
	g := p.gate(t, `{"executionMode":"auto"}`)
	v := running(t, g, "s")
	if err := g.Grants("s").Put(ctx, approval.Grant{Session: "s", Path: p.outside, Answer: permissions.GrantedOnce}); err != nil {
		t.Fatal(err)
	}
	a := gate.Access{Path: p.outside}
	if c := g.Reach(ctx, v, a, nil); c != approval.Once {
		t.Fatalf("the first access: %s", c)
	}
	if c := g.Reach(ctx, v, a, nil); c != gate.Unasked {
		t.Fatalf("the second access on one once-grant: %s", c)
	}
}

func TestReachAsksForASecretBelowAGrantedFolder(t *testing.T) {
	ctx, p := context.Background(), newPlace(t)
	g := p.gate(t, `{"executionMode":"auto"}`)
	v := running(t, g, "s")
	if c := g.Reach(ctx, v, gate.Access{Path: p.home}, answering(approval.Session)); c != approval.Once {
		t.Fatalf("a remembered session answer opens this access: %s", c)
	}
	if c := g.Reach(ctx, v, gate.Access{Path: p.home + "/x"}, nil); c != approval.Once {
		t.Errorf("below the granted folder: %s", c)
	}
	if c := g.Reach(ctx, v, gate.Access{Path: p.home + "/.ssh/id_rsa"}, nil); c != gate.Unasked {
		t.Errorf("a secret below the granted folder: %s", c)
	}
}

// TestReachKeepsAnAnswerAboutRunning: it holds for running that program, for the
// session, and opens nothing to be read.
func TestReachKeepsAnAnswerAboutRunning(t *testing.T) {
	ctx, p := context.Background(), newPlace(t)
	g := p.gate(t, `{"executionMode":"auto"}`)
	v := running(t, g, "s")
	run := gate.Access{Path: p.outside + "/tool", Run: true}
	if c := g.Reach(ctx, v, run, answering(approval.Once)); c != approval.Once {
		t.Fatalf("once: %s", c)
	}
	if c := g.Reach(ctx, v, run, nil); c != gate.Unasked {
		t.Errorf("after once: %s", c)
	}
	if c := g.Reach(ctx, v, run, answering(approval.Session)); c != approval.Once {
		t.Errorf("session: %s", c)
	}
	if c := g.Reach(ctx, running(t, g, "s"), run, nil); c != approval.Once {
		t.Errorf("after a session answer: %s", c)
	}
	for _, a := range []gate.Access{{Path: run.Path}, {Path: run.Path, Write: true}, {Path: run.Path + "2", Run: true}} {
		if c := g.Reach(ctx, v, a, nil); c != gate.Unasked {
			t.Errorf("%+v: %s", a, c)
		}
	}
	if c := g.Reach(ctx, running(t, g, "other"), run, answering(approval.No)); c != approval.No {
		t.Errorf("no: %s", c)
	}
	if c := g.Reach(ctx, running(t, g, "other"), run, answering(approval.Once)); c != approval.No {
		t.Errorf("after a no: %s", c)
	}
	if err := g.Grants("third").Put(ctx, approval.Grant{Session: "third", Path: p.outside, Answer: permissions.GrantDenied}); err != nil {
		t.Fatal(err)
	}
	if c := g.Reach(ctx, running(t, g, "third"), run, answering(approval.Session)); c != approval.No {
		t.Errorf("after a no to its folder: %s", c)
	}
}
