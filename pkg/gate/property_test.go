package gate_test

import (
	"context"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

// TestOneByteChangedIsAnotherCall: whatever was approved once, a call that
// differs in one byte is decided as if nothing had been approved.
func TestOneByteChangedIsAnotherCall(t *testing.T) {
	p := newPlace(t)
	g := p.gate(t, `{"permissions":{"allow":["command(echo)"]}}`)
	ctx, n := context.Background(), 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		session := fmt.Sprint("s", n)
		program := rapid.SampledFrom([]string{"ls", "cat", "touch", "rm -f", "make", "cp a"}).Draw(t, "program")
		where := rapid.SampledFrom([]string{p.outside, p.outside + "/a", p.home, "a", "/etc/hosts"}).Draw(t, "where")
		line := program + " " + where
		v := g.Decide(ctx, bash(session, line))
		if v.Verdict != permissions.Ask {
			t.Skip("nothing to approve")
		}
		v, _, err := g.Ask(ctx, v, answering(approval.Once))
		if err != nil || v.Verdict != permissions.Allow {
			t.Fatalf("%s: %s %v", line, v.Verdict, err)
		}
		at := rapid.IntRange(0, len(line)-1).Draw(t, "at")
		b := []byte(line)
		b[at] = byte(rapid.IntRange(1, 126).Filter(func(c int) bool { return byte(c) != line[at] }).Draw(t, "byte"))
		changed := bash(session, string(b))
		got, want := g.Decide(ctx, changed), g.Decide(ctx, gate.Request{Session: session + "-fresh", Tool: changed.Tool, Input: changed.Input})
		if got.Verdict != want.Verdict {
			t.Fatalf("approved %q; %q is then %s, and %s by itself", line, b, got.Verdict, want.Verdict)
		}
	})
}
