package permissions

import "strings"

// confine is step 3: the workspace boundary, mayi's own files, protected
// places, and what grants open.
func (f *findings) confine() {
	for i := range f.call.Parts {
		if why := f.call.Parts[i].Person; why != "" {
			f.block("person", "only a person runs "+f.text(i)+": "+why, i, -1, nil)
		}
	}
	for i := range f.effects {
		e := &f.effects[i]
		if e.writes() && e.Place.Own {
			f.block("own", "this reaches mayi's own settings and state, which an agent never writes: "+e.said(), e.Part, i, nil)
		}
		switch {
		case f.somePath(e):
			f.unknownPath(i)
		case e.Path != "" && e.touches():
			f.place(i)
		}
	}
}

// place judges an effect on a known path.
func (f *findings) place(i int) {
	e := &f.effects[i]
	if e.outside() && !f.d.policy.AllowOutside {
		if code, rule, ok := f.opened(e); ok {
			f.permit(code, e.doing()+" "+e.said()+" is granted", e.Part, i, rule)
		} else {
			f.outside(i)
		}
	}
	if e.writes() && e.Place.Protected != "" {
		text := e.said() + " is protected (" + e.Place.Protected + "): what is written there runs later or steers an agent"
		if e.granted() {
			f.permit("grant", e.doing()+" "+e.said()+" is granted", e.Part, i, nil)
			return
		}
		f.question("protected", text, e.Part, i, nil)
		f.need(Need{What: "protected", Path: e.shown(), Access: e.Kind, Command: f.text(e.Part), Part: e.Part})
	}
}

// outside is a path outside of the workspace that nothing opens.
func (f *findings) outside(i int) {
	e := &f.effects[i]
	text := e.doing() + " " + e.said() + " is outside the workspace"
	if e.Place.Err != "" {
		text += " (" + e.Place.Err + ")"
	}
	ask := f.d.policy.AskOutside
	switch e.Origin {
	case FromRedirect, FromCommand:
		ask = f.d.policy.AskExec
	case FromArgument:
		ask = true // a guess about an argument is the person's to judge
	}
	if !ask {
		f.block("workspace", text, e.Part, i, nil)
		return
	}
	f.unsure("workspace", text, e.Part, i, nil)
	f.need(Need{What: "path", Path: e.shown(), Access: e.Kind, Command: f.text(e.Part), Part: e.Part})
}

// unknownPath judges an effect on some path that is not known. Where the
// program itself is opaque, that is its nature and its rule covers it.
func (f *findings) unknownPath(i int) {
	e := &f.effects[i]
	if f.d.policy.AllowOutside {
		return
	}
	p := f.part(e)
	if p != nil && p.Opaque != Clear && e.Origin == FromCommand {
		return
	}
	text := "which file it will " + e.verb() + " is not known, so it may be outside the workspace"
	if e.Why != "" {
		text += ": " + e.Why
	}
	if !f.call.Shell && !f.d.policy.AskOutside {
		f.block("workspace", text, e.Part, i, nil)
		return
	}
	f.unsure("unknown-path", text, e.Part, i, nil)
	f.need(Need{What: "command", Command: f.text(e.Part), Part: e.Part})
}

// opened reports whether a grant covers exactly this access outside of the
// workspace: a write grant covers reading, a read grant never writing, and
// neither covers running, which only the person or a rule that names the
// program by its path does.
func (f *findings) opened(e *Effect) (code string, rule *Rule, ok bool) {
	if e.granted() {
		return "grant", nil, true
	}
	if e.Kind == Exec {
		rule = f.namedProgram(e)
		return "allow-rule", rule, rule != nil
	}
	if e.Place.Writable || e.Place.Readable && !e.writes() {
		return "standing-grant", nil, true
	}
	if rule = f.d.allow.write.opens(e); rule == nil && !e.writes() {
		rule = f.d.allow.read.opens(e)
	}
	return "allow-rule", rule, rule != nil
}

// opens returns a rule that covers the file that the effect leads to. Of a
// glob, a directory that holds everything it can expand to must be covered.
func (x *pathIndex) opens(e *Effect) *Rule {
	if len(x.all) == 0 || e.Place.Real == "" {
		return nil
	}
	comps := components(e.Place.Real)
	if e.Glob {
		for i, c := range comps {
			if hasMeta(c) {
				comps = comps[:i]
				break
			}
		}
	}
	return x.find(comps, e.Glob || !e.writes())
}

// namedProgram returns the allow rule that names the program by the path that
// is run.
func (f *findings) namedProgram(e *Effect) *Rule {
	p := f.part(e)
	if p == nil || len(p.Words) == 0 || !strings.Contains(e.Program, "/") || !p.Words[0].Known || p.Words[0].Text != e.Program {
		return nil
	}
	node := f.d.allow.commands.next[tidyProgram(e.Program)]
	if node == nil {
		return nil
	}
	return node.strict(p.Words[1:], 0, false)
}
