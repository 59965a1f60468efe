package gate

import (
	"path"
	"strings"

	"mayi/pkg/permissions"
	"mayi/pkg/workspace"
)

// settleDashed takes out what is only unread where a folder holds a file whose
// name begins with a dash, after a look at the folder. Where the call itself
// could make such a file first, the entry stays.
func settleDashed(call *permissions.Call) {
	for i := range call.Parts {
		p := &call.Parts[i]
		kept := p.Unread[:0:0]
		for _, u := range p.Unread {
			if u.Dashed == "" || makesDashed(call) || workspace.HasDashed(u.Dashed) {
				kept = append(kept, u)
			}
		}
		p.Unread = kept
	}
}

// makesDashed reports whether the call may make a file whose name begins with
// a dash.
func makesDashed(call *permissions.Call) bool {
	if len(call.Unread) > 0 {
		return true
	}
	for _, p := range call.Parts {
		if p.Opaque != permissions.Clear || p.ArgsMayRun {
			return true
		}
		for _, u := range p.Unread {
			if u.Dashed == "" {
				return true
			}
		}
	}
	for _, e := range call.Effects {
		switch e.Kind {
		case permissions.FSWrite:
			if e.Certainty != permissions.Exact || e.Recursive || e.LinkTo != "" || strings.HasPrefix(path.Base(e.Path), "-") {
				return true
			}
		case permissions.Exec, permissions.Undeclared:
			return true
		}
	}
	return false
}
