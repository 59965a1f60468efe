package permissions

// answered reports whether rules together answer every question of the call,
// so that it would be allowed with them.
func (f *findings) answered(rules []Rule) bool {
	extra := newRuleSet(&Policy{Rules: rules, Workspace: f.d.policy.Workspace, Home: f.d.policy.Home}, ActionAllow)
	for i := range f.reasons {
		r := &f.reasons[i]
		if r.Verdict != Ask || r.Code == "secret" || r.Code == "secret-sent" {
			continue // these two only say more about the others
		}
		switch {
		case r.Code == confinedRule && f.call.Confinable && !f.call.Remote:
		case r.Code == "no-rule" && !f.call.Shell:
			if extra.tool(f.call.Tool) == nil {
				return false
			}
		case (r.Code == "no-rule" || r.Code == confinedRule) && r.Effect < 0 && r.Part >= 0:
			if extra.covering(&f.call.Parts[r.Part]) == nil {
				return false
			}
		case r.Code == "workspace" && r.Effect >= 0:
			e := &f.effects[r.Effect]
			if extra.write.opens(e) == nil && (e.writes() || extra.read.opens(e) == nil) {
				return false
			}
		default:
			return false
		}
	}
	return true
}
