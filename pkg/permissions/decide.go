package permissions

import (
	"fmt"
	"maps"
	"slices"
)

// Decider is a compiled policy. It does not change and is safe for concurrent
// use. The zero Decider has no policy, the strictest one.
type Decider struct {
	policy           Policy
	deny, ask, allow ruleSet
	// confined are the allow rules that count for confined calls alone.
	confined ruleSet
	hosts    hostSet[string]
	// unheld is the first deny rule that the kernel cannot be told of, unheldPath
	// the first such one for paths; nil where there is none.
	unheld, unheldPath *Rule
}

// New compiles a policy. It keeps no reference to what the policy points to.
func New(p Policy) *Decider {
	p.Rules, p.Confined = slices.Clone(p.Rules), slices.Clone(p.Confined)
	p.Workspace = slices.Clone(p.Workspace)
	p.Broken = slices.Clone(p.Broken)
	p.NetworkHosts = slices.Clone(p.NetworkHosts)
	p.ToolEffects = maps.Clone(p.ToolEffects)
	for name, kinds := range p.ToolEffects {
		p.ToolEffects[name] = slices.Clone(kinds)
	}
	d := &Decider{policy: p}
	d.deny = newRuleSet(&d.policy, ActionDeny)
	d.ask = newRuleSet(&d.policy, ActionAsk)
	d.allow = newRuleSet(&d.policy, ActionAllow)
	d.confined = newRuleSet(&Policy{Rules: d.policy.Confined}, ActionAllow)
	d.unheld, d.unheldPath = unheldRules(&d.policy)
	for _, h := range p.NetworkHosts {
		// An entry that is no host matches nothing; * is the network policy's
		// own "allow" and no host.
		if host, err := ruleHost(h); err == nil && host != "*" {
			d.hosts.add(host, host)
		}
	}
	return d
}

// Evaluate decides one call: allow, ask or deny, with every reason that was
// found. It is total: whatever goes wrong on the way ends as a deny.
func Evaluate(d *Decider, c Call) (decision Decision) {
	defer func() {
		if problem := recover(); problem != nil {
			decision = failed(fmt.Sprintf("the decision failed: %v", problem))
		}
	}()
	if d == nil {
		return failed("there is no policy")
	}
	return d.evaluate(c)
}

// evaluate is the order of the decision. Every step adds its reasons to what
// was found before, and none of them stops another, so that an approval or a
// rule found later never covers up a block found earlier.
func (d *Decider) evaluate(c Call) Decision {
	f := d.begin(&c)
	f.settings() // broken settings, switched-off tools, earlier refusals
	f.denied()   // 1 deny rules
	f.network()  // 2 the network policy
	f.confine()  // 3 the workspace, protected places, grants
	f.table()    // 4 the mode, and what covers the call in it
	f.asked()    // 5 ask rules
	return f.decision()
}

// Decide is [Evaluate] for callers that ask nobody: an ask becomes a deny and
// stays Promptable.
func Decide(d *Decider, c Call) Decision {
	decision := Evaluate(d, c)
	if decision.Verdict != Allow {
		decision.Verdict = Deny
	}
	return decision
}

// CommandAllowed reports whether allow rules (and what needs none) cover every
// part of a command line, whatever it touches.
func CommandAllowed(d *Decider, parts []Part) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	if d == nil {
		return false
	}
	c := Call{Shell: true, Parts: parts}
	f := d.begin(&c)
	f.wordsOnly = true
	for i := range parts {
		if len(parts[i].Unread) > 0 || f.cover(&f.d.allow, i) == nil && f.needsRule(i) {
			return false
		}
	}
	return true
}

func failed(why string) Decision {
	return Decision{
		Verdict: Deny, Reason: why, Risk: RiskCritical,
		Reasons: []Reason{{Verdict: Deny, Code: "error", Text: why, Part: -1, Effect: -1}},
	}
}
