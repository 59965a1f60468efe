package workspace

import (
	"path"
	"strings"

	"mayi/pkg/permissions"
)

// sweptOwn judges mayi's own files among the matches of a pattern that takes in
// whatever is there (".*", what git checks out): it does not mean them in
// particular, so a person is asked instead of the call being refused.
func (s *survey) sweptOwn(p *permissions.Place, pattern string) {
	if !p.Own || !sweeping(pattern) || s.w.guards.owning(foldPath(fixedFolder(pattern))) {
		return
	}
	p.Own = false
	if p.Protected == "" {
		p.Protected = ownFolder
	}
}

// sweeping reports whether the wildcards of a pattern stand for whole names, as
// in "*" and ".[!g]*": nothing in them tells one file from another.
func sweeping(pattern string) bool {
	for name := range strings.SplitSeq(pattern, "/") {
		if !strings.ContainsAny(name, "*?[") {
			continue
		}
		for i := 0; i < len(name); i++ {
			switch name[i] {
			case '*', '?', '.':
			case '[':
				end := strings.IndexByte(name[i+1:], ']')
				if end < 1 {
					return false
				}
				i += end + 1
			default:
				return false
			}
		}
	}
	return true
}

// fixedFolder is the directory that a pattern begins with.
func fixedFolder(pattern string) string {
	i := strings.IndexAny(pattern, "*?[")
	if i < 0 {
		return pattern
	}
	return path.Dir(pattern[:i] + "x")
}
