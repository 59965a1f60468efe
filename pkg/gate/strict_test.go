package gate_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

// TestAnyChangeOfTheSettingsWhileAskingRefuses: also one under which the answer
// would still be enough, since the person was asked under other settings.
func TestAnyChangeOfTheSettingsWhileAskingRefuses(t *testing.T) {
	ctx, p := context.Background(), newPlace(t)
	g := p.gate(t, `{}`)
	changing := approval.AskerFunc(func(context.Context, approval.Question) (approval.Answer, error) {
		g.Use(p.settings(t, `{"permissions":{"allow":["command(true)"]}}`))
		return approval.Answer{Choice: approval.Session, By: "test"}, nil
	})
	v, _, _ := g.Ask(ctx, g.Decide(ctx, bash("s", "ls "+p.outside)), changing)
	want(t, v, permissions.Deny)
	if !strings.Contains(v.Reason, "settings changed") {
		t.Errorf("the reason does not say what happened: %s", v.Reason)
	}
	want(t, g.Decide(ctx, bash("s", "ls "+p.outside)), permissions.Ask)
}

// TestACommandThatReadsIsRecordedOrNotRun: the proof that a command only reads
// is no reason to leave no trace of it.
func TestACommandThatReadsIsRecordedOrNotRun(t *testing.T) {
	ctx, p := context.Background(), newPlace(t)
	g := p.gate(t, `{"readOnlyShell":true}`)
	p.record.fail = errors.New("disk full")
	v := g.Decide(ctx, bash("s", "ls"))
	want(t, v, permissions.Allow)
	if _, err := g.Begin(ctx, v); err == nil {
		t.Fatal("a command that cannot be recorded began")
	}
}

func TestAPanicWhileDecidingIsADeny(t *testing.T) {
	ctx, p := context.Background(), newPlace(t)
	g := p.gate(t, `{"executionMode":"auto"}`, func(o *gate.Options) {
		o.Grants = func(string) approval.Grants { panic("broken") }
	})
	v := g.Decide(ctx, bash("s", "ls "+p.outside))
	want(t, v, permissions.Deny)
	if _, err := g.Begin(ctx, v); err == nil {
		t.Fatal("the call began")
	}
}

// TestASessionWithoutANameRemembersNothing: callers that name no session must
// not share one.
func TestASessionWithoutANameRemembersNothing(t *testing.T) {
	ctx, p := context.Background(), newPlace(t)
	g := p.gate(t, `{}`)
	v, _, _ := g.Ask(ctx, g.Decide(ctx, bash("", "ls "+p.outside)), answering(approval.Session))
	want(t, v, permissions.Allow)
	if _, err := g.Begin(ctx, v); err != nil {
		t.Fatal(err)
	}
	want(t, g.Decide(ctx, bash("", "ls "+p.outside)), permissions.Ask)
}

// TestARemoteCallIsAnotherCall: an answer for the person's own call is none for
// a remote caller's.
func TestARemoteCallIsAnotherCall(t *testing.T) {
	ctx, p := context.Background(), newPlace(t)
	g := p.gate(t, `{}`)
	remote := bash("s", "echo a")
	remote.Remote = true
	if g.Decide(ctx, remote).Hash == g.Decide(ctx, bash("s", "echo a")).Hash {
		t.Error("a remote call has the hash of the person's own")
	}
}

// TestAlwaysWithoutAFileIsARefusal: an answer that cannot be carried out is not
// turned into a smaller one that the person did not give.
func TestAlwaysWithoutAFileIsARefusal(t *testing.T) {
	ctx, p := context.Background(), newPlace(t)
	g := p.gate(t, `{}`)
	always := approval.AskerFunc(func(_ context.Context, q approval.Question) (approval.Answer, error) {
		return approval.Answer{Choice: approval.Always, Rule: q.Rules[0], Layer: approval.LayerUser, By: "test"}, nil
	})
	v, _, err := g.Ask(ctx, g.Decide(ctx, bash("s", "touch a")), always)
	want(t, v, permissions.Deny)
	if err == nil {
		t.Error("no error says that the rule was not written")
	}
	want(t, g.Decide(ctx, bash("s", "touch a")), permissions.Ask)
}

// TestAnAgentDoesNotAnswerByRunningMayi: in no mode, under no rule, through no
// wrapper; what it has run through mayi needs what it would need without.
func TestAnAgentDoesNotAnswerByRunningMayi(t *testing.T) {
	ctx, p := context.Background(), newPlace(t)
	g := p.gate(t, `{"executionMode":"auto","allowNonWorkspaceAccess":true,"permissions":{"allow":["command(mayi)"]}}`)
	for _, line := range []string{
		"mayi approvals", "mayi approvals answer 3F7K session", "mayi trust --hash x", "mayi grants clear", "mayi init --user",
		"mayi chat 'exec rm x'", "mayi --json --session s approvals answer X once", "mayi levitate", "/usr/local/bin/mayi trust",
		"timeout 5 mayi trust", "bash -c 'mayi trust'", `cd "$X" && mayi trust`, "echo X | xargs mayi trust --hash",
		"mayi run 'mayi trust'", "mayi run -- mayi approvals answer X once", "script -qc 'mayi approvals' /dev/null",
	} {
		want(t, g.Decide(ctx, bash("s", line)), permissions.Deny)
	}
	for _, line := range []string{"mayi check 'rm -rf /'", "mayi explain 'mayi trust'", "mayi version"} {
		want(t, g.Decide(ctx, bash("s", line)), permissions.Allow)
	}
	g = p.gate(t, `{"permissions":{"allow":["command(mayi)"]}}`)
	for _, line := range []string{"mayi run 'touch a'", "mayi --mode auto run -- touch a"} {
		if v := g.Decide(ctx, bash("s", line)); v.Verdict == permissions.Allow {
			t.Errorf("%s: allowed (%s)", line, v.Reason)
		}
	}
}

// TestAGrantToAFolderOpensNoProtectedFileInIt: the person was told of the
// folder. What they answer about the protected file itself holds.
func TestAGrantToAFolderOpensNoProtectedFileInIt(t *testing.T) {
	ctx, p := context.Background(), newPlace(t)
	g := p.gate(t, `{"permissions":{"allow":["command(touch)","command(mkdir)"]}}`)
	hook := p.outside + "/.git/hooks/pre-commit"
	v, _, _ := g.Ask(ctx, g.Decide(ctx, bash("s", "mkdir -p "+p.outside)), answering(approval.Session))
	want(t, v, permissions.Allow)
	want(t, g.Decide(ctx, bash("s", "touch "+p.outside+"/a")), permissions.Allow)
	want(t, g.Decide(ctx, bash("s", "touch "+hook)), permissions.Ask)
	v, _, _ = g.Ask(ctx, g.Decide(ctx, bash("s", "touch "+hook)), answering(approval.Session))
	want(t, v, permissions.Allow)
	want(t, g.Decide(ctx, bash("s", "touch "+hook)), permissions.Allow)
	want(t, g.Decide(ctx, bash("s", "touch "+p.outside+"/.git/hooks/other")), permissions.Ask)

	// Without a grant above it, the answer is about the file, whatever touches it.
	v, _, _ = g.Ask(ctx, g.Decide(ctx, bash("t", "touch .envrc")), answering(approval.Session))
	want(t, v, permissions.Allow)
	want(t, g.Decide(ctx, bash("t", "touch -c .envrc")), permissions.Allow)
	v, _, _ = g.Ask(ctx, g.Decide(ctx, bash("u", "touch .envrc")), answering(approval.No))
	want(t, v, permissions.Deny)
	want(t, g.Decide(ctx, bash("u", "touch -c .envrc")), permissions.Deny)

	// One time is one time.
	v, _, _ = g.Ask(ctx, g.Decide(ctx, bash("w", "touch .envrc")), answering(approval.Once))
	want(t, v, permissions.Allow)
	if _, err := g.Begin(ctx, v); err != nil {
		t.Fatal(err)
	}
	want(t, g.Decide(ctx, bash("w", "touch .envrc")), permissions.Ask)
	if left, err := g.Grants("w").List(ctx); err != nil || len(left) != 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
}
