package proxy

import (
	"slices"
	"strings"

	"mayi/internal/acp/facts"
	"mayi/pkg/permissions"
)

// mostPasses bounds the answers that wait for the request that they belong to.
const mostPasses = 64

// pass is a person's answer to a tool call, as far as it covers the one request
// for a file or a terminal that the call then makes of the editor: without it the
// person would be asked twice about the same.
type pass struct {
	call, method  string
	path, command string
	diffs         []facts.Diff
	// needs and reasons are what the person was told.
	needs   []permissions.Need
	reasons []permissions.Reason
}

// grantPasses notes what a person's answer covers; the session's mu is held.
func (c *conv) grantPasses(p *permission) {
	var all pass
	for _, v := range p.asked {
		all.needs = append(all.needs, v.Needs...)
		all.reasons = append(all.reasons, v.Reasons...)
	}
	add := func(one pass) {
		one.call, one.needs, one.reasons = p.call, all.needs, all.reasons
		c.passes = append(c.passes, one)
		if n := len(c.passes) - mostPasses; n > 0 {
			c.passes = c.passes[n:]
		}
	}
	for _, v := range p.ruling.verdicts {
		for _, e := range v.Call.Effects {
			if e.Path == "" || e.Recursive || v.Call.Shell {
				continue
			}
			method := readMethod
			if e.Kind == permissions.FSWrite {
				method = writeMethod
			}
			add(pass{method: method, path: e.Path, diffs: p.facts.Diffs})
		}
		if v.Call.Shell {
			add(pass{method: terminalMethod, command: v.Call.Command})
		}
	}
}

// takePass uses up an answer that covers the request; the session's mu is held.
// Where the person was shown the change, what is written has to hold it.
func (c *conv) takePass(a access, r ruling) bool {
	for i, one := range c.passes {
		if one.method != a.method || one.path != a.path || a.method == terminalMethod && one.command != a.command {
			continue
		}
		if a.method == writeMethod && !shownIn(one.diffs, a) {
			continue
		}
		if !one.told(r) {
			continue
		}
		c.passes = append(c.passes[:i:i], c.passes[i+1:]...)
		return true
	}
	return false
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

// shownIn reports whether the person was shown what would be written.
func shownIn(diffs []facts.Diff, a access) bool {
	for _, d := range diffs {
		if d.Path == a.path && d.Text != "" && strings.Contains(a.content, d.Text) {
			return true
		}
	}
	return false
}

// dropPasses forgets the answers about a call that has ended; the session's mu is
// held.
func (c *conv) dropPasses(call string) {
	kept := c.passes[:0]
	for _, one := range c.passes {
		if one.call != call {
			kept = append(kept, one)
		}
	}
	c.passes = kept
}
