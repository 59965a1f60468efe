package gate_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

const asksForPaths = `{"executionMode":"auto","permissions":{"ask":["write(infra/**)","read(secrets/**)"]}}`

// TestAnAskRuleIsAnswered: what a rule asks about in the workspace is answered as
// anything else is: once, for the session, or not.
func TestAnAskRuleIsAnswered(t *testing.T) {
	ctx := context.Background()
	for _, line := range []string{"echo x > infra/a", "cat secrets/x", `cat "$F"`, "echo x > infra/b; cat secrets/y"} {
		p := newPlace(t)
		g := p.gate(t, asksForPaths)
		v, _, err := g.Ask(ctx, g.Decide(ctx, bash("s", line)), answering(approval.Once))
		if err != nil || v.Verdict != permissions.Allow {
			t.Fatalf("%s, once: %s %v: %s", line, v.Verdict, err, v.Reason)
		}
		if _, err := g.Begin(ctx, v); err != nil {
			t.Errorf("%s does not begin: %v", line, err)
		}
		if _, err := g.Begin(ctx, v); err == nil {
			t.Errorf("%s began twice on one answer", line)
		}
		want(t, g.Decide(ctx, bash("s", line)), permissions.Ask)
		if v, _, err = g.Ask(ctx, g.Decide(ctx, bash("s", line)), answering(approval.Session)); err != nil || v.Verdict != permissions.Allow {
			t.Errorf("%s, session: %s %v: %s", line, v.Verdict, err, v.Reason)
		}
		want(t, g.Decide(ctx, bash("s", line)), permissions.Allow)
		want(t, g.Decide(ctx, bash("other", line)), permissions.Ask)
		if v, _, _ = g.Ask(ctx, g.Decide(ctx, bash("other", line)), answering(approval.No)); v.Verdict != permissions.Deny {
			t.Errorf("%s, no: %s", line, v.Verdict)
		}
		want(t, g.Decide(ctx, bash("other", line)), permissions.Deny)
	}
}

// TestAnAskRuleIsNotAnsweredByAFolderAbove: who allowed a folder was not told of
// what a rule of theirs asks about in it.
func TestAnAskRuleIsNotAnsweredByAFolderAbove(t *testing.T) {
	ctx, p := context.Background(), newPlace(t)
	g := p.gate(t, `{"executionMode":"auto","permissions":{"ask":["read(`+p.outside+`/keys/**)","read(**/special)"]}}`)
	put := func(path string) {
		t.Helper()
		if err := g.Grants("s").Put(ctx, approval.Grant{Session: "s", Path: path, Answer: permissions.GrantedSession}); err != nil {
			t.Fatal(err)
		}
	}
	put(p.outside)
	want(t, g.Decide(ctx, bash("s", "cat "+p.outside+"/a")), permissions.Allow)
	want(t, g.Decide(ctx, bash("s", "cat "+p.outside+"/keys/sub/a")), permissions.Ask)
	put(p.outside + "/keys")
	want(t, g.Decide(ctx, bash("s", "cat "+p.outside+"/keys/sub/a")), permissions.Allow)
	want(t, g.Decide(ctx, bash("s", "cat "+p.outside+"/keys/special")), permissions.Ask) // the other rule does not mean the folder
}

// TestReachAsksWhatARuleAsks: an ask rule is asked about as a running command
// reaches for the file, and its answers are those of any other question.
func TestReachAsksWhatARuleAsks(t *testing.T) {
	ctx, p := context.Background(), newPlace(t)
	g := p.gate(t, asksForPaths)
	v := running(t, g, "s")
	write := func(name string) gate.Access { return gate.Access{Path: p.space + "/" + name, Write: true} }
	if c := g.Reach(ctx, v, write("other/a"), nil); c != approval.Once {
		t.Errorf("what no rule means: %s", c)
	}
	if c := g.Reach(ctx, v, write("infra/a"), nil); c != gate.Unasked {
		t.Errorf("with nobody to ask: %s", c)
	}
	var asked approval.Question
	asker := approval.AskerFunc(func(_ context.Context, q approval.Question) (approval.Answer, error) {
		asked = q
		return approval.Answer{Choice: approval.Session, By: "test"}, nil
	})
	if c := g.Reach(ctx, v, write("infra/a"), asker); c != approval.Once {
		t.Errorf("session: %s", c)
	}
	if !strings.Contains(asked.Reason, "write(infra/**)") || len(asked.Needs) != 1 || asked.Needs[0].What != "asked" || asked.Needs[0].Path != p.space+"/infra/a" {
		t.Errorf("the question: %q %+v", asked.Reason, asked.Needs)
	}
	if c := g.Reach(ctx, v, write("infra/a"), nil); c != approval.Once {
		t.Errorf("after a session answer: %s", c)
	}
	if c := g.Reach(ctx, v, write("infra/b"), nil); c != gate.Unasked {
		t.Errorf("another file: %s", c)
	}
	want(t, g.Decide(ctx, bash("s", "echo x > infra/a")), permissions.Allow)
	if c := g.Reach(ctx, v, write("infra/c"), answering(approval.No)); c != approval.No {
		t.Errorf("no: %s", c)
	}
	if c := g.Reach(ctx, v, write("infra/c"), answering(approval.Once)); c != approval.No {
		t.Errorf("after a no: %s", c)
	}
	// The kernel's side knows what the name alone does not tell.
	folder := gate.Access{Path: p.space + "/INFRA/x", Write: true}
	if c := g.Reach(ctx, v, folder, nil); c != approval.Once {
		t.Errorf("a name that the rule does not mean: %s", c)
	}
	folder.Asks = "write(infra/**)"
	if c := g.Reach(ctx, v, folder, nil); c != gate.Unasked {
		t.Errorf("a name that the kernel's side found: %s", c)
	}
	if c := g.Reach(ctx, v, folder, answering(approval.Session)); c != approval.Once {
		t.Errorf("its answer: %s", c)
	}
	if c := g.Reach(ctx, v, folder, nil); c != approval.Once {
		t.Errorf("after its answer: %s", c)
	}
	folder.Asks = "write(nothing/**)"
	if c := g.Reach(ctx, running(t, g, ""), folder, nil); c != gate.Unasked {
		t.Errorf("a rule that is not there is no yes: %s", c)
	}
}

// TestReachDoesNotAskAboutTheCommandAgain: what a rule asks about a tool or a
// command was asked when it began.
func TestReachDoesNotAskAboutTheCommandAgain(t *testing.T) {
	ctx, p := context.Background(), newPlace(t)
	g := p.gate(t, `{"executionMode":"auto","permissions":{"ask":["tool(bash)","command(python3)"]}}`)
	v, _, err := g.Ask(ctx, g.Decide(ctx, bash("s", "python3 x.py")), answering(approval.Once))
	if err != nil || v.Verdict != permissions.Allow {
		t.Fatal(v.Verdict, v.Reason, err)
	}
	a := gate.Access{Path: p.outside + "/a", Program: "python3"}
	if c := g.Reach(ctx, v, a, answering(approval.Session)); c != approval.Once {
		t.Fatal(c)
	}
	if c := g.Reach(ctx, v, a, nil); c != approval.Once {
		t.Errorf("after a session answer: %s", c)
	}
}

// TestTheRuleIsWhatThePersonReadsFirst: a question that the mode asks as well does
// not stand before the rule that the person wrote.
func TestTheRuleIsWhatThePersonReadsFirst(t *testing.T) {
	ctx, p := context.Background(), newPlace(t)
	if err := os.Mkdir(p.space+"/infra", 0o755); err != nil {
		t.Fatal(err)
	}
	g := p.gate(t, `{"permissions":{"ask":["write(infra/**)","command(git push)"]}}`)
	for line, rule := range map[string]string{"git push": "command(git push)", "make > infra/a": "write(infra/**)", "rm -r .git infra": "write(infra/**)"} {
		if v := g.Decide(ctx, bash("", line)); v.Verdict != permissions.Ask || !strings.Contains(v.Reason, rule) || len(v.Reasons) < 2 {
			t.Errorf("%s: %s: %s", line, v.Verdict, v.Reason)
		}
	}
}
