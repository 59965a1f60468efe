package explain

import (
	"slices"

	"mayi/pkg/approval"
	"mayi/pkg/permissions"
)

func (p *printer) verdict() string {
	text := p.style.Bold(p.style.Verdict(p.v.Verdict)) + ": " + approval.Line(p.v.Reason)
	if p.v.Verdict != permissions.Allow && p.v.Risk != "" {
		text += p.style.Dim(" (risk: " + string(p.v.Risk) + ")")
	}
	return text
}

// findings tells what else was found. What would be allowed by itself is worth
// a line only where a rule or a grant says so.
func (p *printer) findings() {
	for _, r := range p.v.Reasons {
		if r.Rule == nil && (r.Text == p.v.Reason || r.Verdict == permissions.Allow && p.v.Verdict != permissions.Allow) {
			continue
		}
		text := approval.Line(r.Text)
		if r.Rule != nil {
			text += p.style.Dim(where(r.Rule.Source))
		}
		p.line("  ", p.paint(r.Verdict, r.Verdict.String())+": "+text)
	}
	for _, o := range p.v.Obligations {
		p.line("  ", p.style.Dim("on condition: "+Obligation(o)))
	}
}

// Obligation says in plain words what must be so for an allow to hold.
func Obligation(o string) string {
	if o == permissions.Confine {
		return "it runs confined, held to the workspace by the kernel (mayi run, mayi chat); anybody else asks"
	}
	return approval.Line(o)
}

// change says what would have to change for the call to be allowed.
func (p *printer) change() {
	if p.v.Verdict == permissions.Allow {
		return
	}
	var needs []string
	for _, n := range p.v.Needs {
		if text := Need(n); !slices.Contains(needs, text) {
			needs = append(needs, text)
		}
	}
	p.list("A person would have to grant:", needs)
	var rules []string
	for _, s := range p.v.Suggestions {
		rules = append(rules, approval.Line(s.Text))
	}
	p.list(heading(needs), rules)
}

// heading introduces the rules. Each of them answers one of the needs.
func heading(needs []string) string {
	if len(needs) > 1 {
		return "Rules for permissions.allow, narrowest first; each spares one of these questions:"
	}
	return "Rules for permissions.allow that spare this question, narrowest first:"
}

func (p *printer) list(heading string, lines []string) {
	if len(lines) == 0 {
		return
	}
	p.line("", "")
	p.line("", heading)
	for _, l := range lines {
		p.line("  ", l)
	}
}
