package permissions

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The properties that hold as far as they are about the decision, over
// generated policies and calls. Order: deny < ask < allow.

func check(t *testing.T, property func(t *rapid.T, p Policy, c Call)) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		property(t, genPolicy(t), genCall(t))
	})
}

func decide(p Policy, c Call) Decision { return Evaluate(New(p), c) }

// Property 12: the indexed decider and the plain reference agree.
func TestReferenceAgrees(t *testing.T) {
	check(t, func(t *rapid.T, p Policy, c Call) {
		got, want := decide(p, c), naive(p, c)
		if got.Verdict != want {
			t.Fatalf("decider %v (%s: %s), reference %v\nrules %v\ncall %+v", got.Verdict, got.Reasons[0].Code, got.Reason, want, p.Rules, c)
		}
	})
}

func TestAddingRulesIsMonotonic(t *testing.T) {
	check(t, func(t *rapid.T, p Policy, c Call) {
		before := decide(p, c)
		r := genRule(t)
		p.Rules = append(slices.Clone(p.Rules), r)
		after := decide(p, c)
		if r.Action == ActionAllow && after.Verdict < before.Verdict {
			t.Fatalf("adding %s tightened %v to %v (%s)", r, before.Verdict, after.Verdict, after.Reason)
		}
		if r.Action != ActionAllow && after.Verdict > before.Verdict {
			t.Fatalf("adding %v %s loosened %v to %v", r.Action, r, before.Verdict, after.Verdict)
		}
	})
}

func TestMatchingDenyDenies(t *testing.T) {
	check(t, func(t *rapid.T, p Policy, c Call) {
		match := reference{p: p, c: c}
		match.declare()
		for _, r := range p.Rules {
			sure, _ := match.match(r)
			if r.Action == ActionDeny && sure && decide(p, c).Verdict != Deny {
				t.Fatalf("%s matches and the call is not denied", r)
			}
		}
	})
}

func TestRaisingTheModeNeverBlocks(t *testing.T) {
	check(t, func(t *rapid.T, p Policy, c Call) {
		var last Verdict
		for _, m := range []Mode{Plan, AcceptEdits, Auto} {
			p.Mode = m
			v := decide(p, c).Verdict
			if last == Allow && v != Allow {
				t.Fatalf("%s: %v after an allow in a stricter mode", m, v)
			}
			last = v
		}
	})
}

func TestOrderAndDuplicatesDoNotMatter(t *testing.T) {
	check(t, func(t *rapid.T, p Policy, c Call) {
		before := decide(p, c).Verdict
		p.Rules = rapid.Permutation(slices.Concat(p.Rules, p.Rules)).Draw(t, "order")
		for i := range p.Rules {
			p.Rules[i].Source.File = oneOf(t, "file", "a", "b")
		}
		if after := decide(p, c).Verdict; after != before {
			t.Fatalf("%v became %v", before, after)
		}
	})
}

// Property 5: an allow names what allowed it.
func TestAllowHasAReason(t *testing.T) {
	codes := []string{"mode", "allow-rule", "grant", "standing-grant", "read-only", "approved", "skip-permissions", "confined"}
	check(t, func(t *rapid.T, p Policy, c Call) {
		d := decide(p, c)
		if d.Verdict != Allow {
			return
		}
		for _, r := range d.Reasons {
			if r.Verdict != Allow {
				t.Fatalf("an allow with the reason %+v", r)
			}
			if r.Code == "allow-rule" && (r.Rule == nil || !slices.ContainsFunc(p.Rules, func(x Rule) bool { return x.Text == r.Rule.Text && x.Action == ActionAllow })) {
				t.Fatalf("the rule of %+v does not exist", r)
			}
		}
		if !slices.Contains(codes, d.Reasons[0].Code) && c.Approved == NoGrant {
			t.Fatalf("allowed by %q", d.Reasons[0].Code)
		}
	})
}

func TestOtherRulesDoNotMatter(t *testing.T) {
	check(t, func(t *rapid.T, p Policy, c Call) {
		before := decide(p, c)
		p.Rules = before.Rules
		if after := decide(p, c); after.Verdict != before.Verdict {
			t.Fatalf("%v (%s) with all rules, %v (%s) with those that determined it: %v", before.Verdict, before.Reason, after.Verdict, after.Reason, before.Rules)
		}
	})
}

// Property 7: a compound is never looser than its strictest part.
func TestCompoundIsAsStrictAsItsParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := genPolicy(t)
		a, b := genCall(t), genCall(t)
		if !a.Shell || !b.Shell {
			return
		}
		b.Approved, b.Remote, b.Confinable = a.Approved, a.Remote, a.Confinable
		both := a
		both.Parts = slices.Concat(a.Parts, b.Parts)
		both.Unread = slices.Concat(a.Unread, b.Unread)
		both.Effects = slices.Clone(a.Effects)
		for i := len(a.Parts); i < len(both.Parts); i++ {
			if both.Parts[i].Parent >= 0 {
				both.Parts[i].Parent += len(a.Parts)
			}
		}
		for i := range both.Parts[:len(a.Parts)] {
			if both.Parts[i].Parent >= len(a.Parts) {
				both.Parts[i].Parent = -1
			}
		}
		for _, e := range b.Effects {
			if e.Part >= 0 {
				e.Part += len(a.Parts)
			}
			both.Effects = append(both.Effects, e)
		}
		got := decide(p, both).Verdict
		if x, y := decide(p, a).Verdict, decide(p, b).Verdict; got > min(x, y) {
			t.Fatalf("parts %v and %v, together %v", x, y, got)
		}
	})
}

// Property 8: what does not parse is never allowed without a person.
func TestUnreadIsNeverAllowed(t *testing.T) {
	check(t, func(t *rapid.T, p Policy, c Call) {
		c.Approved, c.Unread = NoGrant, []Unread{{Why: "too large"}}
		if d := decide(p, c); d.Verdict == Allow {
			t.Fatalf("allowed: %s", d.Reason)
		}
	})
}

// Property 9: spellings that mean the same are decided the same.
func TestSpellingsDoNotMatter(t *testing.T) {
	respell := map[string]string{"./rm": ".//rm", "/bin/rm": "//bin/./rm", "/opt/tool": "/opt//tool"}
	check(t, func(t *rapid.T, p Policy, c Call) {
		before := decide(p, c).Verdict
		c.Effects, c.Parts = slices.Clone(c.Effects), slices.Clone(c.Parts)
		for i := range c.Effects {
			e := &c.Effects[i]
			if e.Path != "" {
				e.Path = "/." + e.Path + "/"
			}
			if e.Host == "example.org" {
				e.Host = oneOf(t, "spelling", "EXAMPLE.org.", "ｅxample。org")
			}
			e.Program = pick(respell, e.Program)
		}
		for i := range c.Parts {
			c.Parts[i].Words = slices.Clone(c.Parts[i].Words)
			if w := &c.Parts[i].Words[0]; w.Known {
				w.Text = pick(respell, w.Text)
			}
		}
		// The words of a wrapped command stand in its wrapper, too; those are
		// compared text by text, so only a call without one is respelled.
		if slices.ContainsFunc(c.Parts, func(p Part) bool { return p.InnerAt > 0 }) {
			return
		}
		if after := decide(p, c).Verdict; after != before {
			t.Fatalf("%v became %v", before, after)
		}
	})
}

func pick(m map[string]string, key string) string {
	if v, ok := m[key]; ok {
		return v
	}
	return key
}

// Property 11: a suggestion parses, spares its question and flips no deny.
func TestSuggestionsHelp(t *testing.T) {
	check(t, func(t *rapid.T, p Policy, c Call) {
		d := decide(p, c)
		if d.Verdict != Ask && len(d.Suggestions) > 0 {
			t.Fatalf("suggestions for %v", d.Verdict)
		}
		for _, s := range d.Suggestions {
			back, err := ParseRule(ActionAllow, s.String(), Source{})
			if err != nil || back.format() != s.format() {
				t.Fatalf("%s reads back as %v, %v", s, back, err)
			}
			q := p
			q.Rules = append(slices.Clone(p.Rules), s)
			after := decide(q, c)
			asked := func(d Decision) int {
				n := 0
				for _, r := range d.Reasons {
					if r.Verdict == Ask {
						n++
					}
				}
				return n
			}
			if after.Verdict < d.Verdict || asked(after) >= asked(d) {
				t.Fatalf("with %s %d questions of %d are left", s, asked(after), asked(d))
			}
		}
	})
}

// All suggestions together allow the call: nobody is offered rules that leave
// the question where it was.
func TestSuggestionsAllow(t *testing.T) {
	check(t, func(t *rapid.T, p Policy, c Call) {
		d := decide(p, c)
		if len(d.Suggestions) == 0 {
			return
		}
		p.Rules = append(slices.Clone(p.Rules), d.Suggestions...)
		if after := decide(p, c); after.Verdict != Allow {
			t.Fatalf("with %v it is %v: %s", d.Suggestions, after.Verdict, after.Reason)
		}
	})
}

// A hard block is never covered by an approval or a grant of the call.
func TestApprovalNeverCoversABlock(t *testing.T) {
	check(t, func(t *rapid.T, p Policy, c Call) {
		c.Approved = NoGrant
		before := decide(p, c)
		c.Approved = GrantedSession
		after := decide(p, c)
		if before.Verdict == Deny && after.Verdict != Deny || before.Verdict == Ask && after.Verdict != Allow {
			t.Fatalf("%v (%s), approved %v", before.Verdict, before.Reason, after.Verdict)
		}
	})
}

// TestOnlyWhoConfinesIsSpared: without somebody who can confine the call the
// decision is the same or stricter, never a deny that was an ask; and only an
// allow that would otherwise be a question carries the obligation.
func TestOnlyWhoConfinesIsSpared(t *testing.T) {
	check(t, func(t *rapid.T, p Policy, c Call) {
		c.Confinable = true
		with := decide(p, c)
		c.Confinable = false
		without := decide(p, c)
		spared := len(with.Obligations) > 0
		switch {
		case len(without.Obligations) > 0:
			t.Fatalf("an obligation for somebody who cannot confine: %v", without.Obligations)
		case spared && (with.Verdict != Allow || without.Verdict != Ask || !slices.Equal(with.Obligations, []string{Confine})):
			t.Fatalf("%v under %v, and %v without", with.Verdict, with.Obligations, without.Verdict)
		case !spared && with.Verdict != without.Verdict:
			t.Fatalf("%v (%s) with, %v (%s) without, and no obligation", with.Verdict, with.Reason, without.Verdict, without.Reason)
		}
	})
}

// TestTheObligationNeverCoversABlock: not a deny rule that matches, not plan
// mode, not a remote caller, not an ask rule that matches, not an answer.
func TestTheObligationNeverCoversABlock(t *testing.T) {
	check(t, func(t *rapid.T, p Policy, c Call) {
		c.Confinable = true
		d := decide(p, c)
		if len(d.Obligations) == 0 {
			return
		}
		match := reference{p: p, c: c}
		match.declare()
		for _, r := range p.Rules {
			if sure, maybe := match.match(r); r.Action == ActionDeny && (sure || maybe && !match.tellable(r)) || r.Action == ActionAsk && (sure || maybe) {
				t.Fatalf("%v %s speaks of the call: %s", r.Action, r, d.Reason)
			}
		}
		mode := LowerMode(p.Mode, p.MaxMode)
		if RankOf(mode) == 0 || c.Remote || c.Approved != NoGrant || !c.Shell || len(c.Unread) > 0 {
			t.Fatalf("an obligation in %s mode for %+v", mode, c)
		}
	})
}
