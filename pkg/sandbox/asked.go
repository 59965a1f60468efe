package sandbox

import (
	"path"
	"slices"
	"strings"

	"mayi/pkg/permissions"
)

// Answered is an access that a rule asks about and that was decided with the
// command: the person was asked about it by name, so it is not asked about again.
type Answered struct {
	// Glob names the paths, with what lies below them: components for path.Match.
	// Like a shell's, a * does not stand for a leading dot.
	Glob  string `json:"glob"`
	Write bool   `json:"write,omitempty"`
	// Rule is the rule that was answered, as [Pattern.Why] has it.
	Rule string `json:"rule"`
}

// Answer adds to what is answered what the effects of an allowed call name: for
// each rule that means such an effect, the decision has asked about it.
func (s *Spec) Answer(effects []permissions.Effect) {
	s.Answered = append(s.Answered, s.answers(effects)...)
}

// AnsweredBy reports whether the access is one that the effects of an allowed call
// name and that was asked about with that call.
func (s *Spec) AnsweredBy(effects []permissions.Effect, a Access) bool {
	write := a.Op != OpRead && a.Op != OpRun
	for _, x := range s.answers(effects) {
		if x.Rule == a.Asks && x.Write == write && x.names(a.Path) {
			return true
		}
	}
	return false
}

func (s *Spec) answers(effects []permissions.Effect) []Answered {
	if len(s.AskRead)+len(s.AskWrite) == 0 {
		return nil
	}
	read, write := compile(s.AskRead), compile(s.AskWrite)
	var out []Answered
	for i := range effects {
		e := &effects[i]
		if e.Place.Real == "" || e.Place.Own || e.Certainty == permissions.Unknown {
			continue
		}
		list, writes := read, false
		switch e.Kind {
		case permissions.FSWrite:
			list, writes = write, true
		case permissions.Read, permissions.Exec:
		default:
			continue
		}
		glob := e.Place.Real
		if !e.Glob {
			glob = escaped(glob)
		}
		for k := range list.list {
			p := list.list[k]
			if a := (Answered{glob, writes, p.Why}); p.means(e) && !slices.Contains(out, a) {
				out = append(out, a)
			}
		}
	}
	return out
}

// means reports whether the decision has seen the pattern's rule in an effect: the
// path itself, or something that it was found to touch below. Only names as they
// are count: the decision does not see a rule in one that only looks like it.
func (c compiled) means(e *permissions.Effect) bool {
	segs := given(c.segs)
	covers := func(p string) bool { return meet(segs, given(componentsOf(p)), c.Exact) == covered }
	if covers(plainPart(e)) || e.Place.Partial {
		return true
	}
	for _, p := range e.Place.Below {
		if covers(p) {
			return true
		}
	}
	return false
}

// given are the components in the form in which they are given alone.
func given(list []component) []component {
	out := make([]component, len(list))
	for i, c := range list {
		out[i] = component{c.given, c.given}
	}
	return out
}

// plainPart is the effect's path; of a shell's pattern, the folder that is named
// in front of its first sign.
func plainPart(e *permissions.Effect) string {
	real := e.Place.Real
	if !e.Glob {
		return real
	}
	if i := strings.IndexAny(real, `*?[\`); i >= 0 {
		real = path.Dir(real[:i] + "x")
	}
	return real
}

// names reports whether the path is one of those meant. Names are compared as they
// are: what only looks like the one that was answered was not.
func (a Answered) names(p string) bool {
	want, have := splitPath(a.Glob), splitPath(p)
	if len(have) < len(want) {
		// A shell lists the folder that it looks for the names in.
		return !a.Write && len(have) > 0 && unescaped(strings.Join(want[:len(have)], "/")) == p[1:] && unescaped(want[len(have)]) == ""
	}
	for i, w := range want {
		if strings.HasPrefix(have[i], ".") && !strings.HasPrefix(w, ".") {
			return false
		}
		if ok, err := path.Match(w, have[i]); err != nil || !ok {
			return false
		}
	}
	return true
}

// unescaped is the path that the glob means, "" where it can mean several.
func unescaped(glob string) string {
	var b strings.Builder
	for i := 0; i < len(glob); i++ {
		switch glob[i] {
		case '*', '?', '[':
			return ""
		case '\\':
			if i++; i == len(glob) {
				return ""
			}
		}
		b.WriteByte(glob[i])
	}
	return b.String()
}

// escaped is the glob that means just this path.
func escaped(p string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(p)
}
