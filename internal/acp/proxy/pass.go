package proxy

import (
	"slices"

	"mayi/internal/acp/facts"
	"mayi/pkg/permissions"
)

// mostPasses bounds the answers that wait for the request that they belong to.
const mostPasses = 64

// pass is a person's answer to a tool call, as far as it covers the one request
// for a file or a terminal that the call then makes of the editor: without it the
// person would be asked twice about the same. The protocol does not tie such a
// request to its call, so that it has to be exactly what was shown.
type pass struct {
	call, method string
	// path is a file's, real where it led when it was asked about; diffs and
	// before are what was shown of it.
	path, real string
	diffs      []facts.Diff
	before     fileState
	// command is a terminal's, cwd its folder.
	command, cwd string
	// needs and reasons are what the person was told.
	needs   []permissions.Need
	reasons []permissions.Reason
}

// grantPasses notes what a person's answer covers; the session's mu is held.
func (c *conv) grantPasses(p *permission) {
	var told pass
	for _, v := range p.asked {
		told.needs = append(told.needs, v.Needs...)
		told.reasons = append(told.reasons, v.Reasons...)
	}
	add := func(one pass) {
		one.call, one.needs, one.reasons = p.call, told.needs, told.reasons
		if slices.ContainsFunc(c.passes, func(have pass) bool {
			return have.call == one.call && have.method == one.method && have.real == one.real && have.command == one.command && have.cwd == one.cwd
		}) {
			return // one answer is for one request
		}
		c.passes = append(c.passes, one)
		if n := len(c.passes) - mostPasses; n > 0 {
			c.passes = c.passes[n:]
		}
	}
	for _, v := range p.ruling.verdicts {
		if v.Call.Shell {
			cwd, _ := v.Request.Input["cwd"].(string)
			if cwd == "" {
				cwd = v.Request.Cwd
			}
			add(pass{method: terminalMethod, command: v.Call.Command, cwd: cwd})
			continue
		}
		for _, e := range v.Call.Effects {
			if e.Path == "" || e.Recursive || e.Place.Real == "" {
				continue
			}
			method := readMethod
			if e.Kind == permissions.FSWrite {
				method = writeMethod
			}
			add(pass{method: method, path: e.Path, real: e.Place.Real, diffs: p.facts.Diffs, before: p.before[e.Path]})
		}
	}
}

// takePass uses up an answer that covers the request; the session's mu is held.
func (c *conv) takePass(a access, r ruling) bool {
	for i, one := range c.passes {
		if one.method == a.method && one.about(a, r) && one.told(r) {
			c.passes = append(c.passes[:i:i], c.passes[i+1:]...)
			return true
		}
	}
	return false
}

// about reports whether the request is exactly what the person was shown.
func (one pass) about(a access, r ruling) bool {
	switch {
	case a.method == terminalMethod:
		return a.plain && one.command == a.command && one.cwd == a.cwd
	case one.path != a.path || !leadsTo(r, one.real):
		return false
	case a.method == writeMethod:
		return one.shows(a.content)
	}
	return true
}

// leadsTo reports whether all that the request reaches is this one file.
func leadsTo(r ruling, real string) bool {
	for _, v := range r.verdicts {
		for _, e := range v.Call.Effects {
			if e.Place.Real != real {
				return false
			}
		}
	}
	return len(r.verdicts) > 0
}

// told reports whether the person was told all that the request is asked about
// for.
func (one pass) told(r ruling) bool {
	for _, v := range r.verdicts {
		if v.Verdict != permissions.Ask {
			continue
		}
		for _, n := range v.Needs {
			if !slices.ContainsFunc(one.needs, func(have permissions.Need) bool {
				have.Part = n.Part
				return have == n
			}) {
				return false
			}
		}
		for _, n := range v.Reasons {
			if n.Verdict != permissions.Allow && !slices.ContainsFunc(one.reasons, func(have permissions.Reason) bool {
				return have.Code == n.Code && have.Text == n.Text
			}) {
				return false
			}
		}
	}
	return true
}

// dropPasses forgets the answers about a call that has ended; the session's mu is
// held.
func (c *conv) dropPasses(call string) {
	c.passes = slices.DeleteFunc(c.passes, func(one pass) bool { return one.call == call })
}

// outdate marks the questions that are open about a call: their answers cover no
// request after them. The session's mu is held.
func (s *session) outdate(c *conv, call string) {
	for _, a := range s.asked {
		if p := a.permission; p != nil && p.conv == c && p.call == call {
			p.stale = true
		}
	}
}

// turnEnds forgets what a session's answers still cover: a request after the turn
// belongs to no call of it. It is done for all sessions where there is none of
// that id.
func (s *session) turnEnds(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	only := s.convs[id]
	for _, c := range s.convs {
		if only == nil || c == only {
			c.passes = nil
		}
	}
	for _, a := range s.asked {
		if p := a.permission; p != nil && (only == nil || p.conv == only) {
			p.stale = true
		}
	}
}
