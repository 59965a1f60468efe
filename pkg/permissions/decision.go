package permissions

import "slices"

// Verdict is the outcome of a decision. The zero Verdict is Deny.
type Verdict uint8

// The verdicts, strictest first, so that the zero value denies.
const (
	Deny Verdict = iota
	Ask
	Allow
)

// Risk grades a question for the person who answers it.
type Risk string

// The grades, mildest first.
const (
	RiskLow      Risk = "low"
	RiskMedium   Risk = "medium"
	RiskHigh     Risk = "high"
	RiskCritical Risk = "critical"
)

// Decision is a verdict with everything that led to it. The zero Decision is
// a deny.
type Decision struct {
	Verdict Verdict
	// Reason says in one plain sentence why.
	Reason string
	Risk   Risk
	// Promptable: a person may lift this decision (Verdict is Ask, or was
	// before [Decide] turned it into a Deny).
	Promptable bool
	// Reasons are all reasons found, strictest first; Reason is the first one.
	Reasons []Reason
	// Needs says what a person would have to grant, one entry for each path,
	// part or rule that asks. Empty unless Promptable.
	Needs []Need
	// Rules are the rules that determined the verdict.
	Rules []Rule
	// Suggestions are rules that would allow this call again, narrowest first.
	Suggestions []Rule
	// Obligations are conditions under which an allow holds: whoever runs the
	// call meets them all, or does not run it. [Confine] is the only one so far.
	Obligations []string
}

// Confine is the obligation to run the call held by the kernel to the
// workspace's roots and what was granted, with everything closed that deny
// rules and protected paths close, and with the network that the policy leaves.
const Confine = "confine"

// Objects reports whether the decision counts also for a call that may be meant
// in another way: it denies, or a rule says to ask. That nothing allows a call
// that was not meant is no objection.
func (d Decision) Objects() bool {
	return d.Verdict == Deny || d.Verdict == Ask && slices.ContainsFunc(d.Reasons, func(r Reason) bool { return r.Code == askRule })
}

// Reason is one finding of the decision.
type Reason struct {
	Verdict Verdict
	// Code is a stable word for programs: "deny-rule", "network", "workspace",
	// "mode", "ask-rule", "protected", "no-rule", "unread", "undeclared", ….
	Code string
	Text string
	// Part and Effect are indexes in the call, or -1.
	Part, Effect int
	Rule         *Rule
}

// Need is one thing that a person is asked to grant.
type Need struct {
	// What is "path" (outside of the workspace), "protected", "asked" (a path that
	// an ask rule names), "command", "tool" or "rule".
	What string
	// Path is the resolved path and Access the kind of access it is for.
	Path   string
	Access Kind
	// Command is the text of the part that needs it.
	Command string
	Part    int
}
