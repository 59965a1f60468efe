package permissions

import (
	"slices"
	"strings"
)

// findings collects what the steps of a decision find out about one call.
type findings struct {
	d    *Decider
	call *Call
	// effects are the call's effects after the operator's declarations.
	effects []Effect
	mode    Mode
	// skip: dangerouslySkipPermissions counts for this call.
	skip    bool
	reasons []Reason
	needs   []Need
	// bare are the parts that no rule covers, for suggestions.
	bare []int
	// wordsOnly: what the parts do is not at hand.
	wordsOnly bool
}

func (d *Decider) begin(c *Call) *findings {
	f := &findings{d: d, call: c, effects: d.declared(c), mode: d.policy.Mode}
	f.mode = LowerMode(f.mode, d.policy.MaxMode)
	if c.Remote {
		f.mode = LowerMode(f.mode, remoteCeiling(d.policy))
	}
	f.skip = SkipsQuestions(d.policy, c.Remote)
	f.reasons = make([]Reason, 0, len(f.effects)+len(c.Parts)+2)
	return f
}

// SkipsQuestions reports whether dangerouslySkipPermissions counts for a caller:
// then what ask rules name is not asked about.
func SkipsQuestions(p Policy, remote bool) bool {
	return p.SkipPermissions && !remote && (p.MaxMode == "" || RankOf(p.MaxMode) >= RankOf(Auto))
}

// declared applies what the operator declared about a foreign tool, and makes
// "nothing declared" and words that do not exist an undeclared effect.
func (d *Decider) declared(c *Call) []Effect {
	if len(c.Effects) == 0 && !c.Shell {
		c.Effects = []Effect{{Kind: Undeclared, Part: -1}}
	}
	kinds, known := d.Declared(c.Tool)
	foreign := known && !c.Shell
	clean := !foreign
	for i := range c.Effects {
		clean = clean && c.Effects[i].Kind <= Exec
	}
	if clean {
		return c.Effects
	}
	out := make([]Effect, 0, len(c.Effects)+len(kinds))
	targets := [2]bool{} // a path or a host was among the arguments
	for _, e := range c.Effects {
		if e.Kind > Exec {
			e.Kind = Undeclared
		}
		if !foreign || e.Kind != Undeclared && e.Origin != FromArgument {
			out = append(out, e)
			continue
		}
		// What was guessed about an argument becomes what was declared.
		switch {
		case e.Path != "":
			e.Kind = strictest(kinds, Read, Exec, FSWrite)
			targets[0] = true
		case e.Host != "" || e.URL != "":
			e.Kind = strictest(kinds, NetRead, NetWrite)
			targets[1] = true
		default:
			continue
		}
		out = append(out, e)
	}
	if !foreign {
		return out
	}
	for _, k := range kinds {
		file, net := k == Read || k == FSWrite, k == NetRead || k == NetWrite
		if file && targets[0] || net && targets[1] {
			continue
		}
		if k > Exec {
			k = Undeclared
		}
		out = append(out, Effect{Kind: k, Certainty: Exact, Part: -1})
	}
	return out
}

// strictest returns the last of order that was declared, or the first.
func strictest(declared []Kind, order ...Kind) Kind {
	for i := len(order) - 1; i > 0; i-- {
		if slices.Contains(declared, order[i]) {
			return order[i]
		}
	}
	return order[0]
}

// Declared returns the operator's declaration for a foreign tool (tools.NAME.effects);
// the most specific name wins. A tool without a server goes by its name alone.
// Where a server's or a tool's name holds a dot, two tools could go by the same
// name, so only the entries for all of a kind count.
func (d *Decider) Declared(t Tool) ([]Kind, bool) {
	if !t.foreign() || len(d.policy.ToolEffects) == 0 {
		return nil, false
	}
	keys := []string{t.Name}
	if t.Server != "" {
		keys = []string{"*.*"}
		if !strings.Contains(t.Server+t.Name, ".") {
			keys = []string{t.Server + "." + t.Name, t.Server + ".*", "*." + t.Name, "*.*"}
		}
	}
	for _, key := range keys {
		if kinds := d.policy.ToolEffects[key]; len(kinds) > 0 {
			return kinds, true
		}
	}
	return nil, false
}

func (f *findings) add(r Reason) { f.reasons = append(f.reasons, r) }

// block adds a reason that nobody can lift.
func (f *findings) block(code, text string, part, effect int, rule *Rule) {
	f.add(Reason{Deny, code, text, part, effect, rule})
}

// unsure adds a reason that a person may lift, and that is a block where none
// is asked: what was found may pass a boundary that skipping does not lift.
func (f *findings) unsure(code, text string, part, effect int, rule *Rule) {
	v := Ask
	if f.skip {
		v = Deny
	}
	f.add(Reason{v, code, text, part, effect, rule})
}

// question adds a reason that a person may lift and that skipping lifts.
func (f *findings) question(code, text string, part, effect int, rule *Rule) {
	if f.skip {
		f.permit("skip-permissions", "dangerouslySkipPermissions lifts a question: "+text, part, effect, rule)
		return
	}
	f.add(Reason{Ask, code, text, part, effect, rule})
}

func (f *findings) permit(code, text string, part, effect int, rule *Rule) {
	f.add(Reason{Allow, code, text, part, effect, rule})
}

func (f *findings) need(n Need) {
	if !slices.Contains(f.needs, n) {
		f.needs = append(f.needs, n)
	}
}

// part returns the part that the effect belongs to, or nil.
func (f *findings) part(e *Effect) *Part {
	if !f.call.Shell || e.Part < 0 || e.Part >= len(f.call.Parts) {
		return nil
	}
	return &f.call.Parts[e.Part]
}

// writes reports whether the effect changes what is at its path. An
// undeclared effect with a path may.
func (e *Effect) writes() bool {
	return e.Kind == FSWrite || e.Kind == Undeclared && e.Path != ""
}

// touches reports whether the effect opens a path at all.
func (e *Effect) touches() bool {
	switch e.Kind {
	case Read, FSWrite:
		return true
	case Exec, Undeclared:
		return e.Path != ""
	}
	return false
}

// outside reports whether the effect's path leads out of the workspace. What
// is neither inside nor a device is outside.
func (e *Effect) outside() bool { return e.Place.Zone != Inside && e.Place.Zone != Device }

// granted reports whether a person granted this access in this session.
func (e *Effect) granted() bool { return e.Grant == GrantedOnce || e.Grant == GrantedSession }

// somePath reports whether the effect is on a path that is not known. A tool's
// plain "read", or what an operator declared about a foreign tool, has no
// target, which is something else.
func (f *findings) somePath(e *Effect) bool {
	switch {
	case e.Path != "":
		return false
	case e.Kind == FSWrite:
		return f.call.Shell || !f.call.Tool.foreign()
	case e.Kind == Read:
		return e.Certainty != Exact && (f.call.Shell || e.Why != "")
	}
	return false
}

// foreign reports whether the tool is not mayi's own.
func (t Tool) foreign() bool { return !t.Builtin || t.Server != "" }

// shown returns the path as it is shown to a person: where it leads.
func (e *Effect) shown() string {
	switch {
	case e.Place.Real != "":
		return e.Place.Real
	case e.Path != "":
		return e.Path
	}
	return "a path that is not known"
}

// said is shown for a sentence.
func (e *Effect) said() string {
	if e.Sweep != NoSweep {
		return e.Sweep.String() + " below " + e.shown()
	}
	return e.shown()
}

// doing says what the effect does to its path, as the beginning of a sentence.
func (e *Effect) doing() string {
	switch e.Kind {
	case Read:
		return "reading"
	case Exec:
		return "running"
	}
	return "writing"
}

// verb is doing in its plain form.
func (e *Effect) verb() string {
	switch e.Kind {
	case Read:
		return "read"
	case Exec:
		return "run"
	}
	return "write"
}

// text returns the part's source, or its words where it has no position of its own.
func (f *findings) text(part int) string {
	if part < 0 || part >= len(f.call.Parts) {
		return f.call.Command
	}
	p := &f.call.Parts[part]
	if s := p.Span; (!p.Within || len(p.Words) == 0) && s.Start >= 0 && s.Start < s.End && s.End <= len(f.call.Command) {
		return f.call.Command[s.Start:s.End]
	}
	words := make([]string, len(p.Words))
	for i, w := range p.Words {
		if words[i] = w.Text; w.Known {
			words[i] = joinWords(words[i : i+1])
		}
	}
	return strings.Join(words, " ")
}
