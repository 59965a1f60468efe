package gate_test

import (
	"context"
	"errors"
	"testing"

	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

const asksForHosts = `{"executionMode":"auto","permissions":{"ask":["fetch(asked.test)"],"deny":["fetch(denied.test)"]}}`

// TestANewHostIsAskedFor: an ask rule for hosts leads to a question as a running
// command connects; its answers are those of any other question.
func TestANewHostIsAskedFor(t *testing.T) {
	ctx, p := context.Background(), newPlace(t)
	g := p.gate(t, asksForHosts)
	v := running(t, g, "s")
	host := func(v gate.Verdict, name string) string {
		switch err := g.Host(ctx, v, name); {
		case err == nil:
			return "open"
		case errors.Is(err, gate.ErrHostAsk):
			return "ask"
		}
		return "closed"
	}
	for name, want := range map[string]string{"free.test": "open", "asked.test": "ask", "sub.asked.test": "ask", "denied.test": "closed", "": "closed", "0x7f.1": "closed"} {
		if got := host(v, name); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
	if c := g.ReachHost(ctx, v, "asked.test", nil); c != gate.Unasked {
		t.Errorf("with nobody to ask: %s", c)
	}
	if c := g.ReachHost(ctx, v, "denied.test", answering(approval.Session)); c != approval.No {
		t.Errorf("a denied host was answered with %s", c)
	}
	if c := g.ReachHost(ctx, v, "asked.test", answering(approval.Once)); c != approval.Once || host(v, "asked.test") != "ask" {
		t.Errorf("once: %s, then %s", c, host(v, "asked.test"))
	}
	if c := g.ReachHost(ctx, v, "asked.test", answering(approval.Session)); c != approval.Session || host(v, "asked.test") != "open" {
		t.Errorf("session: %s, then %s", c, host(v, "asked.test"))
	}
	if got := host(running(t, g, "s"), "asked.test"); got != "open" {
		t.Errorf("a later command of the session: %s", got)
	}
	if got := host(v, "sub.asked.test"); got != "ask" {
		t.Errorf("another host: %s", got)
	}
	other := running(t, g, "other")
	if got := host(other, "asked.test"); got != "ask" {
		t.Errorf("another session: %s", got)
	}
	if c := g.ReachHost(ctx, other, "asked.test", answering(approval.No)); c != approval.No || host(other, "asked.test") != "closed" {
		t.Errorf("no: %s, then %s", c, host(other, "asked.test"))
	}
}

// TestAHostThatTheCallNamedIsNotAskedForTwice: the question about the command was
// the question about its host.
func TestAHostThatTheCallNamedIsNotAskedForTwice(t *testing.T) {
	ctx, p := context.Background(), newPlace(t)
	g := p.gate(t, asksForHosts)
	v, _, err := g.Ask(ctx, g.Decide(ctx, bash("s", "curl https://asked.test/x")), answering(approval.Once))
	if err != nil || v.Verdict != permissions.Allow {
		t.Fatal(v.Verdict, v.Reason, err)
	}
	if err := g.Host(ctx, v, "asked.test"); err != nil {
		t.Errorf("the host that was asked about: %v", err)
	}
	if err := g.Host(ctx, v, "sub.asked.test"); !errors.Is(err, gate.ErrHostAsk) {
		t.Errorf("where it is sent from there: %v", err)
	}
}

// TestAHeldCallAsksForNewHosts: what was allowed because the kernel holds it may
// reach the hosts that it was decided with and those that the person has named;
// about another one they are asked.
func TestAHeldCallAsksForNewHosts(t *testing.T) {
	ctx, p := context.Background(), newPlace(t)
	const settings = `{"networkAllowHosts":["listed.test"],"permissions":{"allow":["command(make)","fetch(ruled.test)"],"allowConfined":["command(python3)","command(curl)"],"deny":["fetch(denied.test)"]}}`
	g := p.gate(t, settings)
	decide := func(command string) gate.Verdict {
		r := bash("s", command)
		r.Confines = true
		v := g.Decide(ctx, r)
		want(t, v, permissions.Allow)
		return v
	}
	host := func(v gate.Verdict, name string) string {
		switch err := g.Host(ctx, v, name); {
		case err == nil:
			return "open"
		case errors.Is(err, gate.ErrHostAsk):
			return "ask"
		}
		return "closed"
	}
	script := decide("python3 x.py")
	for name, want := range map[string]string{"new.test": "ask", "listed.test": "open", "sub.ruled.test": "open", "denied.test": "closed"} {
		if got := host(script, name); got != want {
			t.Errorf("a script, %s: %s, want %s", name, got, want)
		}
	}
	named := decide("curl -o x https://named.test/x; python3 x.py")
	if a, b := host(named, "named.test"), host(named, "new.test"); a != "open" || b != "ask" {
		t.Errorf("a host that the call names: %s, another one: %s", a, b)
	}
	if got := host(decide("make"), "new.test"); got != "open" {
		t.Errorf("a command that is allowed as it is: %s", got)
	}
	if c := g.ReachHost(ctx, script, "new.test", nil); c != gate.Unasked {
		t.Errorf("with nobody to ask: %s", c)
	}
	if c := g.ReachHost(ctx, script, "new.test", answering(approval.Session)); c != approval.Session || host(script, "new.test") != "open" {
		t.Errorf("after a yes: %s, then %s", c, host(script, "new.test"))
	}
}
