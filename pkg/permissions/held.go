package permissions

import "strings"

// held decides whether all that would be asked about the call is something that
// the kernel can hold it to, and if so turns those questions into allows. The
// call must come from somebody who can confine it; then a command that the rules
// (or the mode) allow need not be asked about for a file that is not known, or
// for a text that was not understood: outside of the workspace it gets nowhere,
// and what deny rules and protected paths close stays closed for it.
//
// Never lifted are a question about which program runs, a match of an ask rule,
// anything in plan mode or of a remote caller, and a text that was not understood
// while a deny rule exists that no kernel can be told of.
func (f *findings) held() bool {
	c := f.call
	if !c.Shell || !c.Confinable || c.Remote || f.skip || f.rank() == 0 {
		return false
	}
	var against *Rule
	for i := range f.reasons {
		r := &f.reasons[i]
		switch {
		case r.Verdict == Deny || r.Verdict == Ask && !f.heldBy(r):
			return false
		case r.Verdict != Ask:
		case r.Code == "unread" && f.d.unheld != nil:
			against = f.d.unheld
		case r.Code == "deny-rule" && r.Rule.Kind != FetchRule && f.d.unheldPath != nil:
			against = f.d.unheldPath
		}
	}
	if against != nil {
		f.question("unheld", "what is not known about it may be what "+against.String()+" means, which no kernel can be told of", -1, -1, against)
		return false
	}
	for i := range f.reasons {
		switch r := &f.reasons[i]; {
		case r.Verdict != Ask:
		case r.Code == confinedRule:
			r.Verdict, r.Text = Allow, f.text(r.Part)+" is allowed by "+r.Rule.String()+" where it runs confined"
		default:
			r.Verdict, r.Code, r.Rule = Allow, "confined", nil
			r.Text = "the kernel holds it to the workspace: " + r.Text
		}
	}
	return true
}

// heldBy reports whether the kernel can hold the call to what one question is
// about.
func (f *findings) heldBy(r *Reason) bool {
	var e *Effect
	if r.Effect >= 0 && r.Effect < len(f.effects) {
		e = &f.effects[r.Effect]
	}
	switch r.Code {
	case confinedRule:
		return true
	case "unknown-path":
		return e != nil
	case "no-rule":
		// A redirection to a name that is not known may be one to /dev/tcp; such
		// a connection is never passed on.
		return e != nil && (f.somePath(e) || e.Origin == FromRedirect && e.Kind == NetWrite && e.Host == "" && e.URL == "")
	case "unread":
		return r.Part >= 0 && r.Rule != nil // a deny rule exists
	case "deny-rule":
		return e != nil && r.Rule != nil // a path or a host that may be meant
	case "network":
		return true
	}
	return false
}

// unheldRules finds the first deny rule that the kernel cannot be told of, and
// the first such one for paths.
func unheldRules(p *Policy) (first, path *Rule) {
	for i := range p.Rules {
		r := &p.Rules[i]
		if r.Action == ActionAllow || r.Action == ActionAsk || kernelHolds(r, p) {
			continue
		}
		if first == nil {
			first = r
		}
		if path == nil && r.Kind != CommandRule {
			path = r
		}
	}
	return first, path
}

// kernelHolds reports whether a confined command is kept from what a deny rule
// means: files by their names, hosts by the proxy. Rules for foreign tools say
// nothing about what a command line does. A rule for commands cannot be held: a
// program can be copied.
func kernelHolds(r *Rule, p *Policy) bool {
	switch r.Kind {
	case FetchRule, MCPRule, ToolRule:
		return true
	case ReadRule, WriteRule:
	default:
		return false
	}
	if len(p.Workspace) == 0 {
		return false
	}
	for _, base := range append([]string{p.Home}, p.Workspace...) {
		if strings.ContainsAny(base, `*?[\`) {
			return false
		}
	}
	// The kernel's side holds other globs, too (a class, a folder that is named by a
	// dot, everything there is); what rests on the kernel alone keeps to the forms
	// that nobody could read in two ways.
	plain := strings.TrimSuffix(strings.TrimSuffix(r.Glob, "/"), "/**")
	return plain != "" && plain != "~" && !strings.ContainsAny(r.Glob, `[\`) &&
		plain != "." && !strings.HasPrefix(plain, "./") && !strings.Contains(plain, "/./") && !strings.HasSuffix(plain, "/.")
}
