package permissions

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// apartFrom takes the command rules out of the policy's allow rules and makes them
// rules for confined calls: bare has none of them, confined has them as such.
func apartFrom(p Policy) (bare, confined Policy) {
	bare = p
	bare.Rules, bare.Confined = nil, nil
	for _, r := range p.Rules {
		if r.Action == ActionAllow && r.Kind == CommandRule {
			bare.Confined = append(bare.Confined, r)
		} else {
			bare.Rules = append(bare.Rules, r)
		}
	}
	confined = bare
	bare.Confined = nil
	return bare, confined
}

// TestRulesForConfinedCalls: such a rule does nothing for a call that nothing
// confines, and for one that is confined at most what an allow rule would do,
// with the obligation.
func TestRulesForConfinedCalls(t *testing.T) {
	spared := 0
	check(t, func(t *rapid.T, p Policy, c Call) {
		if often(t, "plain", 70) { // nothing that blocks every call
			p.Mode, p.MaxMode, p.Broken, p.Network, p.ExecEnabled, p.SkipPermissions = AcceptEdits, "", nil, NetworkAllow, true, false
			c.Approved, c.Remote, c.Effects, c.Parts = NoGrant, false, c.Effects[:min(len(c.Effects), 1)], c.Parts[:min(len(c.Parts), 1)]
		}
		for _, part := range c.Parts { // so that rules and calls meet often
			if w := part.Words[0]; w.Known && w.Text != "" {
				r := Rule{Action: ActionAllow, Kind: CommandRule, Words: []string{w.Text}}
				r.Text = r.format()
				p.Rules = append(p.Rules, r)
			}
		}
		bare, confined := apartFrom(p)
		c.Confinable = false
		if without, with := decide(bare, c), decide(confined, c); without.Verdict != with.Verdict || len(with.Obligations) > 0 {
			t.Fatalf("unconfined: %v without the rules, %v (%s) with them", without.Verdict, with.Verdict, with.Reason)
		}
		c.Confinable = true
		without, with, plain := decide(bare, c), decide(confined, c), decide(p, c)
		switch {
		case with.Verdict > without.Verdict && (with.Verdict != Allow || !slices.Equal(with.Obligations, []string{Confine})):
			t.Fatalf("%v (%s) under %v, and %v without the rules", with.Verdict, with.Reason, with.Obligations, without.Verdict)
		case with.Verdict < without.Verdict:
			t.Fatalf("%v (%s) with the rules, %v without", with.Verdict, with.Reason, without.Verdict)
		case with.Verdict > plain.Verdict:
			t.Fatalf("%v with the rules, and %v where they are allow rules", with.Verdict, plain.Verdict)
		}
		if with.Verdict > without.Verdict {
			spared++
		}
	})
	if spared == 0 {
		t.Error("no call was spared a question")
	}
}

// TestTheOtherQuestionIsAsked: of a call that would run confined but for one part,
// the question is about that part, and so is the rule that would spare it.
func TestTheOtherQuestionIsAsked(t *testing.T) {
	words := func(list ...string) (out []Word) {
		for _, w := range list {
			out = append(out, Word{Text: w, Known: true})
		}
		return out
	}
	p := Policy{Mode: AcceptEdits, ExecEnabled: true, Confined: []Rule{{Action: ActionAllow, Kind: CommandRule, Text: "command(python3)", Words: []string{"python3"}}}}
	c := Call{Shell: true, Confinable: true, Command: "python3 x.py && tool run", Parts: []Part{
		{Words: words("python3", "x.py"), Class: Program, Opaque: OpaqueProgram, Parent: -1, Name: 1, Span: Span{0, 12}},
		{Words: words("tool", "run"), Class: Program, Opaque: OpaqueProgram, Parent: -1, Name: 1, Span: Span{16, 24}},
	}}
	d := decide(p, c)
	if d.Verdict != Ask || d.Reason != "no allow rule covers tool run" || len(d.Suggestions) == 0 {
		t.Fatalf("%v: %s, suggested %v", d.Verdict, d.Reason, d.Suggestions)
	}
	for _, r := range d.Suggestions {
		p := p
		p.Rules = []Rule{r}
		if with := decide(p, c); r.Words[0] != "tool" || with.Verdict != Allow || !slices.Equal(with.Obligations, []string{Confine}) {
			t.Errorf("with %s: %v (%s)", r, with.Verdict, with.Reason)
		}
	}
}

// TestAHeldConnectionIsNoLooser: that nobody could say where a call leads only
// ever makes a question of it.
func TestAHeldConnectionIsNoLooser(t *testing.T) {
	asked := 0
	check(t, func(t *rapid.T, p Policy, c Call) {
		if often(t, "connection", 70) {
			p.Mode, p.MaxMode, p.Broken, p.Network, p.SkipPermissions = AcceptEdits, "", nil, NetworkAllow, false
			c = Call{Tool: Tool{Name: "web_fetch", Builtin: true}, Effects: []Effect{{Kind: NetRead, Host: oneOf(t, "to", genHosts...), Certainty: Exact, Origin: FromTool, Part: -1}}}
		}
		c.Held = false
		free := decide(p, c)
		c.Held = true
		held := decide(p, c)
		if held.Verdict != free.Verdict && (free.Verdict != Allow || held.Verdict != Ask) {
			t.Fatalf("%v (%s) held, %v otherwise", held.Verdict, held.Reason, free.Verdict)
		}
		if held.Verdict != free.Verdict {
			asked++
		}
	})
	if asked == 0 {
		t.Error("no connection was asked about")
	}
}

// TestARuleForConfinedCallsIsNamed: the decision names the rule, a remote caller
// and plan mode gain nothing by it, and a rule about something else counts for
// nothing.
func TestARuleForConfinedCallsIsNamed(t *testing.T) {
	rule := func(text string) Rule {
		r, err := ParseRule(ActionAllow, text, Source{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	p := Policy{Mode: AcceptEdits, ExecEnabled: true, ExecRemote: true, RemoteMax: Auto, RemoteDefault: AcceptEdits,
		Confined: []Rule{rule("command(python3)"), rule("read(/etc/shadow)"), rule("fetch(*)")}}
	run := Call{Shell: true, Confinable: true, Command: "python3 x.py", Parts: []Part{{Words: []Word{{Text: "python3", Known: true}, {Text: "x.py", Known: true}}, Class: Program, Opaque: OpaqueProgram, Parent: -1}}}
	for name, c := range map[string]struct {
		change  func(*Policy, *Call)
		verdict Verdict
	}{
		"confined":   {func(*Policy, *Call) {}, Allow},
		"unconfined": {func(_ *Policy, c *Call) { c.Confinable = false }, Ask},
		"remote":     {func(_ *Policy, c *Call) { c.Remote = true }, Ask},
		"plan":       {func(p *Policy, _ *Call) { p.Mode = Plan }, Deny},
		"asked": {func(p *Policy, _ *Call) {
			p.Rules = []Rule{{Action: ActionAsk, Kind: CommandRule, Text: "command(python3)", Words: []string{"python3"}}}
		}, Ask},
		"denied": {func(p *Policy, _ *Call) {
			p.Rules = []Rule{{Kind: CommandRule, Text: "command(python3)", Words: []string{"python3"}}}
		}, Deny},
		"a file outside": {func(_ *Policy, c *Call) {
			c.Effects = []Effect{{Kind: Read, Path: "/etc/shadow", Certainty: Exact, Part: 0, Origin: FromCommand, Place: Place{Zone: Outside, Real: "/etc/shadow"}}}
		}, Deny},
	} {
		t.Run(name, func(t *testing.T) {
			p, call := p, run
			c.change(&p, &call)
			d := decide(p, call)
			if d.Verdict != c.verdict {
				t.Fatalf("%v (%s), want %v", d.Verdict, d.Reason, c.verdict)
			}
			if d.Verdict == Allow && (len(d.Rules) != 1 || d.Rules[0].Text != "command(python3)" || !slices.Equal(d.Obligations, []string{Confine})) {
				t.Errorf("%v under %v", d.Rules, d.Obligations)
			}
		})
	}
}
