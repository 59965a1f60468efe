package permissions

import "slices"

// askRule is the code of a reason that an ask rule gives.
const askRule = "ask-rule"

// asked is step 5: a match of an ask rule is asked for in every mode.
func (f *findings) asked() {
	if f.d.ask.first != nil {
		f.matches(&f.d.ask, func(m match) {
			if m.effect >= 0 || !f.call.Running {
				f.toAsk(m)
			}
		})
	}
	for i := range f.effects {
		e := &f.effects[i]
		said := func(r Reason) bool { return r.Code == askRule && r.Effect == i }
		if e.Asked != "" && !slices.ContainsFunc(f.reasons, said) {
			f.toAsk(match{f.d.askRule(e), e.Part, i, true, e.doing() + " " + e.said()})
		}
	}
}

func (f *findings) toAsk(m match) {
	if m.effect >= 0 && f.effects[m.effect].granted() && m.rule.Kind != FetchRule {
		f.permit("grant", m.text+" was granted", m.part, m.effect, nil)
		return
	}
	f.question(askRule, m.text+" is to be asked for ("+m.rule.String()+")", m.part, m.effect, m.rule)
	f.needPart(m)
}

// needPart is what a person has to grant: the path, where it is known.
func (f *findings) needPart(m match) {
	n := Need{What: "rule", Part: m.part, Command: f.text(m.part)}
	if m.effect >= 0 {
		if e := &f.effects[m.effect]; e.touches() && !f.somePath(e) {
			n = Need{What: "asked", Path: e.shown(), Access: e.Kind, Part: m.part, Command: n.Command}
		}
	}
	f.need(n)
}

// askRule is the ask rule that [Effect.Asked] names.
func (d *Decider) askRule(e *Effect) *Rule {
	for i := range d.policy.Rules {
		if r := &d.policy.Rules[i]; r.Action == ActionAsk && r.Text == e.Asked {
			return r
		}
	}
	kind := ReadRule
	if e.writes() {
		kind = WriteRule
	}
	return &Rule{Action: ActionAsk, Kind: kind, Text: e.Asked}
}

// Asks reports whether an ask rule for paths matches the effect. Then a person may
// have answered about its place, wherever that is.
func (d *Decider) Asks(e Effect) bool {
	if d == nil || !e.touches() || e.Path == "" {
		return false
	}
	if e.Asked != "" {
		return true
	}
	for _, x := range [2]*pathIndex{&d.ask.read, &d.ask.write} {
		if !d.ask.about(x, &e) {
			continue
		}
		if r, _ := x.touched(&e); r != nil || e.Place.Partial {
			return true
		}
	}
	return false
}
