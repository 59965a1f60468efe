package gate_test

import (
	"context"
	"slices"
	"testing"

	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

// confined is the line as a call of somebody who confines what is run.
func confined(session, line string) gate.Request {
	r := bash(session, line)
	r.Confines = true
	return r
}

const allowsCat = `{"permissions":{"allow":["command(cat)","command(cp)","command(python3)"],"deny":["read(.env)"]}}`

func TestAnUnknownPathNeedsNoQuestionWhereTheKernelHoldsIt(t *testing.T) {
	p := newPlace(t)
	for _, c := range []struct {
		settings, line string
		spared         bool
	}{
		{allowsCat, `cat "$F"`, true},
		{allowsCat, `while read -r f; do cat "$f"; done < list`, true},
		{allowsCat, `cp -- a "$D/b"`, true},
		{allowsCat, `echo x > "$F"`, true},
		{allowsCat, `python3 -c 'open(input())'`, true},
		{allowsCat, `sort "$F"`, false},
		{allowsCat, `cat $(sort "$F")`, false},
		{allowsCat, `eval "$F"`, false},
		{allowsCat, `cat "$F" ` + p.outside + `/x`, false},
		{`{"sandbox":"off","permissions":{"allow":["command(cat)"]}}`, `cat "$F"`, false},
		{`{"sandbox":"required","permissions":{"allow":["command(cat)"]}}`, `cat "$F"`, true},
		{`{"permissions":{"allow":["command(cat)"],"ask":["read(secrets/**)"]}}`, `cat "$F"`, false},
		{`{"permissions":{"allow":["command(python3)"],"deny":["command(rm)"]}}`, `python3 -c 'open(input())'`, false},
	} {
		g := p.gate(t, c.settings)
		want(t, g.Decide(context.Background(), bash("", c.line)), permissions.Ask)
		v := g.Decide(context.Background(), confined("", c.line))
		if spared := v.Verdict == permissions.Allow && slices.Equal(v.Obligations, []string{permissions.Confine}); spared != c.spared {
			t.Errorf("%s under %s: %s %v: %s", c.line, c.settings, v.Verdict, v.Obligations, v.Reason)
		}
	}
}

func TestAnObligationIsMetOrTheCallDoesNotBegin(t *testing.T) {
	ctx, p := context.Background(), newPlace(t)
	g := p.gate(t, allowsCat)
	v := g.Decide(ctx, confined("s", `cat "$F"`))
	if _, err := g.Begin(ctx, v); err == nil {
		t.Error("it began although nobody said that it is confined")
	}
	if end, err := g.BeginConfined(ctx, v); err != nil || end == nil {
		t.Errorf("it did not begin confined: %v", err)
	}
	v.Obligations = append(v.Obligations, "another")
	if _, err := g.BeginConfined(ctx, v); err == nil {
		t.Error("it began on a condition that nobody knows")
	}
	if _, err := g.BeginConfined(ctx, g.Decide(ctx, bash("s", `sort "$F"`))); err == nil {
		t.Error("a question began")
	}
}

// TestAnEarlierAnswerCountsBeforeTheObligation: a no to exactly this call stays
// one, and a yes is used up as it would be without a sandbox.
func TestAnEarlierAnswerCountsBeforeTheObligation(t *testing.T) {
	ctx, p := context.Background(), newPlace(t)
	g := p.gate(t, allowsCat)
	plain := bash("s", `cat "$F"`)
	if v, _, err := g.Ask(ctx, g.Decide(ctx, plain), answering(approval.Once)); err != nil || v.Verdict != permissions.Allow {
		t.Fatalf("%s %v", v.Verdict, err)
	}
	v := g.Decide(ctx, confined("s", `cat "$F"`))
	if v.Verdict != permissions.Allow || len(v.Obligations) > 0 {
		t.Errorf("after once: %s %v", v.Verdict, v.Obligations)
	}
	if _, err := g.BeginConfined(ctx, v); err != nil {
		t.Fatal(err)
	}
	want(t, g.Decide(ctx, plain), permissions.Ask)
	if v, _, _ := g.Ask(ctx, g.Decide(ctx, plain), answering(approval.No)); v.Verdict != permissions.Deny {
		t.Fatal(v.Verdict)
	}
	want(t, g.Decide(ctx, confined("s", `cat "$F"`)), permissions.Deny)
}
