package gate

import (
	"path"
	"strings"

	"mayi/pkg/permissions"
	"mayi/pkg/workspace"
)

// settleDashed takes out what is only unread where names on the disk are
// awkward, after a look at the disk. Where the call itself could make such a
// name first, the entry stays.
func settleDashed(call *permissions.Call) {
	s := settler{call: call, tame: map[permissions.Tame]bool{}}
	call.Unread = s.settle(call.Unread)
	for i := range call.Parts {
		call.Parts[i].Unread = s.settle(call.Parts[i].Unread)
	}
}

// settler looks at the disk once for each thing that has to be true of it.
type settler struct {
	call         *permissions.Call
	makes, asked bool
	tame         map[permissions.Tame]bool
}

// settle returns what of the list is unread.
func (s *settler) settle(list []permissions.Unread) []permissions.Unread {
	kept := list[:0:0]
	for _, u := range list {
		if !u.Conditional() || s.holds(u) {
			kept = append(kept, u)
		}
	}
	return kept
}

// holds reports whether the condition under which u is unread is true, or may
// become so.
func (s *settler) holds(u permissions.Unread) bool {
	if !s.asked {
		s.makes, s.asked = makesNames(s.call), true
	}
	if s.makes || u.Dashed != "" && workspace.HasDashed(u.Dashed) {
		return true
	}
	if u.Tame.Tree == "" {
		return false
	}
	is, known := s.tame[u.Tame]
	if !known {
		is = workspace.IsTame(u.Tame)
		s.tame[u.Tame] = is
	}
	return !is
}

// makesNames reports whether the call may make a file whose name is awkward:
// begins with a dash, or holds a blank, a quote or the like.
func makesNames(call *permissions.Call) bool {
	for _, u := range call.Unread {
		if !u.Conditional() {
			return true
		}
	}
	for _, p := range call.Parts {
		if p.Opaque != permissions.Clear || p.ArgsMayRun {
			return true
		}
		for _, u := range p.Unread {
			if !u.Conditional() {
				return true
			}
		}
	}
	for _, e := range call.Effects {
		switch e.Kind {
		case permissions.FSWrite:
			// A name that was listed is there already.
			if e.Scratch || e.Listed && e.LinkTo == "" {
				continue
			}
			if e.Certainty != permissions.Exact || e.Recursive || e.LinkTo != "" || awkward(e.Path) {
				return true
			}
		case permissions.Exec, permissions.Undeclared:
			return true
		}
	}
	return false
}

// awkward reports whether a path that is written may be or make an awkward
// name.
func awkward(p string) bool {
	if strings.HasPrefix(path.Base(p), "-") {
		return true
	}
	for i := range len(p) {
		if c := p[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`'"\*?[(`, c) >= 0 {
			return true
		}
	}
	return false
}
