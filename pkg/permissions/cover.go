package permissions

import (
	"path"
	"slices"
)

// confinedRule is the code of a question that a rule answers where the call runs
// confined.
const confinedRule = "confined-rule"

// parts asks for every part of a command line that nothing covers.
func (f *findings) parts() {
	for i := range f.call.Parts {
		p := &f.call.Parts[i]
		for _, u := range p.Unread {
			f.question("unread", f.text(i)+" cannot be read: "+u.Why, i, -1, nil)
			f.need(Need{What: "command", Command: f.text(i), Part: i})
		}
		if rule := f.cover(&f.d.allow, i); rule != nil {
			f.permit("allow-rule", f.text(i)+" is allowed by "+rule.String(), i, -1, rule)
			continue
		}
		if f.needsRule(i) {
			if rule := f.cover(&f.d.confined, i); rule != nil {
				f.question(confinedRule, rule.String()+" allows "+f.text(i)+" only where it runs confined", i, -1, rule)
				if f.call.Confinable && !f.call.Remote {
					continue // what keeps the call from it is another question
				}
			} else {
				f.question("no-rule", "no allow rule covers "+f.text(i)+unnamed(p.Words), i, -1, nil)
			}
			f.need(Need{What: "command", Command: f.text(i), Part: i})
			f.bare = append(f.bare, i)
		}
	}
}

// unnamed says which words a rule has to name, "" where there is none.
func unnamed(words []Word) string {
	for i := len(words) - 1; i > 0; i-- {
		if words[i].ByName && words[i].Known {
			return " (it has to name " + words[i].Text + ")"
		}
	}
	return ""
}

// needsRule reports whether the part has to be covered by an allow rule of its
// own, or, for a proven network read, by a fetch rule.
func (f *findings) needsRule(i int) bool {
	p := &f.call.Parts[i]
	if p.Class != Program && p.Class <= Function {
		return p.elevates() || f.doesMore(i)
	}
	return !f.fetches(i) && !f.readsForPerson(i) && !f.onlyReadsPart(i)
}

// readsForPerson reports whether all that the part is shown to do is to read,
// and some of it outside of the workspace where only the person can say, with
// an answer or a read rule: then that is the answer about the command, too, and
// it holds as long as the answer does.
func (f *findings) readsForPerson(i int) bool {
	if f.d.policy.AllowOutside || !f.call.Parts[i].clear() {
		return false
	}
	person := false
	for k := range f.effects {
		e := &f.effects[k]
		if e.Part != i || e.nothing() {
			continue
		}
		if e.Kind != Read || f.somePath(e) {
			return false
		}
		if e.outside() {
			code, _, open := f.opened(e)
			person = person || !open || code == "grant" || code == "allow-rule"
		}
	}
	return person
}

// onlyReadsPart is the read-only proof for one part among others: with
// readOnlyShell, a command that is shown to read only needs no rule where other
// commands of the line do (npm test | tail). One that reads a secret needs one,
// since the others may pass it on. What it writes by a redirection is judged like
// a file tool's.
func (f *findings) onlyReadsPart(i int) bool {
	if !f.d.policy.ReadOnlyShell || f.wordsOnly || !f.call.Parts[i].clear() {
		return false
	}
	for k := range f.effects {
		e := &f.effects[k]
		if e.Part != i || e.Origin == FromRedirect || e.nothing() {
			continue
		}
		if e.Kind != NetRead && (e.Kind != Read || f.somePath(e)) || e.secret() != "" {
			return false
		}
	}
	f.permit("read-only", f.text(i)+" only reads", i, -1, nil)
	return true
}

// doesMore reports whether a builtin or wrapper does something by itself that
// opening a file is not.
func (f *findings) doesMore(i int) bool {
	for k := range f.effects {
		e := &f.effects[k]
		if e.Part != i || e.Origin == FromRedirect {
			continue
		}
		if e.Kind == Exec || e.Kind == NetWrite || e.Kind == Undeclared {
			return true
		}
	}
	return false
}

// fetches reports whether all that the part is shown to do is to read from
// hosts that fetch rules allow.
func (f *findings) fetches(i int) bool {
	if f.d.allow.fetch.any == nil || !f.call.Parts[i].clear() {
		return false
	}
	found := false
	for k := range f.effects {
		e := &f.effects[k]
		if e.Part != i || e.Origin == FromRedirect {
			continue
		}
		host, known := e.host()
		if e.Kind != NetRead || !known {
			return false
		}
		rule, ok := f.d.allow.fetch.find(host)
		if !ok {
			return false
		}
		f.permit("allow-rule", "fetching from "+host+" is allowed by "+rule.String(), i, k, rule)
		found = true
	}
	return found
}

// cover returns the rule of allow rules that covers part i: one that its own
// words begin with, or one that names the wrapper and reaches into the wrapped
// command.
func (f *findings) cover(allow *ruleSet, i int) *Rule {
	p := &f.call.Parts[i]
	if allow.commands.some == nil {
		return nil
	}
	if r := allow.covering(p); r != nil {
		return r
	}
	// Wrappers stand in one another (timeout 60 nice grep): at is where the
	// part's words begin in the words of the wrapper that is looked at.
	at := 0
	for outer, steps := p, 0; steps < len(f.call.Parts); steps++ {
		if outer.Parent < 0 || outer.Parent >= len(f.call.Parts) {
			return nil
		}
		outer = &f.call.Parts[outer.Parent]
		at += outer.InnerAt
		if outer.InnerAt <= 0 || at >= len(outer.Words) {
			return nil
		}
		r := allow.commands.strict(named(outer.Words, p.Words, at), at+1, true)
		if r != nil && sameStart(p.Words, outer.Words[at:], len(r.Words)-at) && !byName(p.Words[len(r.Words)-at:]) {
			return r
		}
	}
	return nil
}

// named are the outer words, with what a rule has to name in the inner ones,
// which stand there from at on.
func named(outer, inner []Word, at int) []Word {
	if !byName(inner) {
		return outer
	}
	out := slices.Clone(outer)
	for i := range min(len(inner), len(out)-at) {
		out[at+i].ByName = out[at+i].ByName || inner[i].ByName
	}
	return out
}

// sameStart reports whether a and b begin with the same n known words, so that
// the inner part is what the outer words show and no other one.
func sameStart(a, b []Word, n int) bool {
	if len(a) < n || len(b) < n {
		return false
	}
	for i := range n {
		if !a[i].Known || !b[i].Known || a[i].Text != b[i].Text {
			return false
		}
	}
	return true
}

// loose asks for effects of a command line that no covered part accounts for.
func (f *findings) loose() {
	for i := range f.effects {
		e := &f.effects[i]
		if why := f.uncovered(e); why != "" {
			f.question("no-rule", why, e.Part, i, nil)
			f.need(Need{What: "command", Command: f.text(e.Part), Part: e.Part})
		}
	}
}

// uncovered says why nothing covers the effect, "" where something does.
func (f *findings) uncovered(e *Effect) string {
	p := f.part(e)
	known := e.Kind == Read || e.Kind == FSWrite || e.Kind == NetRead
	switch {
	case f.somePath(e):
		if p != nil && p.Opaque != Clear && e.Origin == FromCommand {
			return ""
		}
		return "which file it will " + e.verb() + " is not known"
	case p == nil && e.Origin != FromRedirect && e.Kind != Read:
		return "no command accounts for " + e.Kind.String()
	case e.Origin == FromRedirect || p == nil:
		if known || e.Kind == StateWrite {
			return "" // like a file tool's, the place is judged
		}
		return "no allow rule covers " + e.Kind.String()
	case e.Kind == Undeclared && p.Opaque == Clear, e.Kind == Exec && e.Path == "" && e.Certainty == Unknown && p.Opaque == Clear:
		return "what it will run is not known"
	}
	return "" // the part's own rule covers it
}

// elevates reports whether the part runs what follows as somebody else. Such a
// wrapper changes what is done, so it needs a rule that names it.
func (p *Part) elevates() bool {
	if len(p.Words) == 0 {
		return false
	}
	switch path.Base(p.Words[0].Text) {
	case "sudo", "sudoedit", "doas", "su", "pkexec", "run0", "runuser", "gosu", "su-exec", "chroot", "nsenter", "unshare":
		return true
	}
	return false
}
