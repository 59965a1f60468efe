package permissions

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Property 7, second half: wrapping a command never loosens the decision,
// unless a rule names the wrapper.
func TestWrappingNeverLoosens(t *testing.T) {
	check(t, func(t *rapid.T, p Policy, c Call) {
		if !c.Shell || len(c.Parts) == 0 {
			return
		}
		before := decide(p, c).Verdict
		p.Rules = slices.DeleteFunc(slices.Clone(p.Rules), func(r Rule) bool {
			return r.Action == ActionAllow && r.Kind == CommandRule && (r.Words[0] == "timeout" || r.Words[0] == "*")
		})
		bare := decide(p, c).Verdict
		wrapped := c
		outer := Part{Class: Wrapper, Parent: -1, InnerAt: 2, Words: append([]Word{{Text: "timeout", Known: true}, {Text: "60", Known: true}}, c.Parts[0].Words...)}
		wrapped.Parts = append([]Part{outer}, c.Parts...)
		for i := range wrapped.Parts[1:] {
			q := &wrapped.Parts[i+1]
			if q.Parent >= 0 {
				q.Parent++
			}
		}
		wrapped.Parts[1].Parent = 0
		wrapped.Effects = slices.Clone(c.Effects)
		for i := range wrapped.Effects {
			if wrapped.Effects[i].Part >= 0 {
				wrapped.Effects[i].Part++
			}
		}
		if got := decide(p, wrapped).Verdict; got > bare || got > before {
			t.Fatalf("bare %v, wrapped %v", bare, got)
		}
	})
}

// The generators reach every verdict and every reason; without that the
// properties would hold of nothing.
func TestGeneratorsReachEveryReason(t *testing.T) {
	type example struct {
		p Policy
		c Call
	}
	gen := rapid.Custom(func(t *rapid.T) example { return example{genPolicy(t), genCall(t)} })
	verdicts, codes := map[Verdict]int{}, map[string]int{}
	const n = 4000
	for i := range n {
		x := gen.Example(i)
		d := decide(x.p, x.c)
		verdicts[d.Verdict]++
		for _, r := range d.Reasons {
			codes[r.Code]++
		}
	}
	for _, v := range []Verdict{Deny, Ask, Allow} {
		if verdicts[v] < n/25 {
			t.Errorf("%v: %d of %d", v, verdicts[v], n)
		}
	}
	for _, code := range []string{
		"deny-rule", "unread", "network", "workspace", "unknown-path", "own", "person", "protected", "mode", "no-rule", "ask-rule", "settings", "exec-disabled", "exec-remote",
		"denied", "grant", "standing-grant", "allow-rule", "read-only", "approved", "skip-permissions",
	} {
		if codes[code] < 3 {
			t.Errorf("reason %q: %d times", code, codes[code])
		}
	}
}

// A decider that fails denies, whatever the call.
func TestFailureDenies(t *testing.T) {
	if d := Evaluate(nil, Call{Approved: GrantedSession}); d.Verdict != Deny || d.Promptable {
		t.Errorf("no decider: %+v", d)
	}
	if d := Evaluate(&Decider{}, Call{}); d.Verdict != Deny {
		t.Errorf("the zero decider: %+v", d)
	}
	if d := Evaluate(New(Policy{}), Call{Shell: true}); d.Verdict != Deny {
		t.Errorf("the zero policy: %+v", d)
	}
	broken := New(Policy{Mode: Auto, Rules: []Rule{{Kind: CommandRule, Words: []string{"x"}}}})
	broken.policy.Mode, broken.deny.commands.next = Auto, map[string]*wordTrie{"x": {some: &Rule{}, rule: nil}}
	broken.deny.read.all = []pathEntry{{rule: nil}}
	c := Call{Tool: Tool{Name: "read", Builtin: true}, Effects: []Effect{{Kind: Read, Path: "/x", Place: Place{Zone: Inside, Real: "/x", Partial: true}}}}
	if d := Evaluate(broken, c); d.Verdict != Deny || d.Reasons[0].Code != "error" {
		t.Errorf("a panic on the way: %+v", d)
	}
	if CommandAllowed(nil, nil) {
		t.Error("no decider allows a command")
	}
}

func TestDecodingFailsClosed(t *testing.T) {
	k, v, c := Exec, Allow, Exact
	_, _, _ = k.UnmarshalText([]byte("reed")), v.UnmarshalText([]byte("Allow")), c.UnmarshalText(nil)
	if k != Undeclared || v != Deny || c != Unknown {
		t.Errorf("%v %v %v", k, v, c)
	}
	for want := range Kind(7) {
		text, _ := want.MarshalText()
		if _ = k.UnmarshalText(text); k != want {
			t.Errorf("%v reads back as %v", want, k)
		}
	}
	if Kind(99).String() != "undeclared" || Verdict(9).String() != "deny" || Certainty(9).String() != "unknown" || Action(9).String() != "deny" || Kind(99).Rank() != 4 {
		t.Error("a value that does not exist is not the strictest")
	}
}

func TestCommandAllowed(t *testing.T) {
	d := New(readPolicy(t, "allow: command(git status)\nallow: command(head)"))
	for parts, want := range map[string]bool{
		"git status":                         true,
		"head -n 20 file.txt":                true,
		"git status ;; head":                 true,
		"git status ;; rm x":                 false,
		"git statusx":                        false,
		"[free] echo":                        true,
		"[unread] git status":                false,
		"[wrapper][inner=1] nice x":          true,
		"[wrapper][inner=1] sudo x":          false,
		"[opaque] git status":                true,
		"":                                   true,
		"[canon=git status] git -C x status": true,
	} {
		c, err := readCall("$", parts, "")
		if err != nil {
			t.Fatal(err)
		}
		if got := CommandAllowed(d, c.Parts); got != want {
			t.Errorf("%s: %v", parts, got)
		}
	}
}
