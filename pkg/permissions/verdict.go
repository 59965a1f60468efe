package permissions

import "slices"

// decision folds the reasons into one verdict: the strictest one found.
func (f *findings) decision() Decision {
	if len(f.reasons) == 0 {
		f.block("undeclared", "nothing says what the call does", -1, -1, nil)
	}
	slices.SortStableFunc(f.reasons, strictestFirst)
	d := Decision{Verdict: f.reasons[0].Verdict, Risk: f.risk()}
	if d.Verdict == Ask && (f.call.Approved == GrantedOnce || f.call.Approved == GrantedSession) {
		f.approve()
		d.Verdict = Allow
	}
	if d.Verdict == Ask && f.held() {
		d.Verdict, d.Obligations = Allow, []string{Confine}
	}
	if d.Verdict == Ask {
		f.tell()
		slices.SortStableFunc(f.reasons, strictestFirst)
	}
	d.Reasons = f.reasons
	d.Reason = d.Reasons[0].Text
	d.Rules = determining(d.Reasons, d.Verdict)
	if d.Verdict == Ask {
		d.Promptable = true
		d.Needs = f.needs
		d.Suggestions = f.suggestions()
	}
	return d
}

// strictestFirst orders reasons by their verdict. Of several questions, one that a
// rule of the person's asks comes before those that follow from the mode: it says
// what they wanted to be asked about.
func strictestFirst(a, b Reason) int {
	if a.Verdict != b.Verdict || a.Verdict != Ask {
		return int(a.Verdict) - int(b.Verdict)
	}
	return general(a) - general(b)
}

func general(r Reason) int {
	switch r.Code {
	case askRule, "deny-rule":
		return 0
	case confinedRule:
		return 2 // only so because of the others
	}
	return 1
}

// approve records that a person's answer to exactly this call lifts what was
// to be asked.
func (f *findings) approve() {
	for i := range f.reasons {
		if f.reasons[i].Verdict == Ask {
			f.reasons[i].Verdict = Allow
		}
	}
	f.reasons = slices.Insert(f.reasons, 0, Reason{Allow, "approved", "this call was approved", -1, -1, nil})
}

// determining returns the rules behind the verdict, each once: those that led
// to it, and for a question also the allow rules without which it would be a
// block.
func determining(reasons []Reason, v Verdict) []Rule {
	var seen []*Rule
	for i := range reasons {
		r := &reasons[i]
		counts := r.Verdict == v || v == Ask && r.Verdict == Allow && r.Effect >= 0
		if r.Rule != nil && counts && !slices.Contains(seen, r.Rule) {
			seen = append(seen, r.Rule)
		}
	}
	if seen == nil {
		return nil
	}
	out := make([]Rule, len(seen))
	for i, r := range seen {
		out[i] = *r
	}
	return out
}
