package workspace

import (
	"path"
	"slices"

	"mayi/pkg/permissions"
)

// sweep finds what git may write or remove below a folder of its work tree. The
// protected files that are there are kept in swept. What is not there is not asked for: nobody can say what a revision
// holds, and asking about every file that it could hold asks every time.
func (s *survey) sweep(e *permissions.Effect, links map[string]string) spot {
	top := *e
	if t, err := s.resolver(links).follow(e.Path); err == nil && !t.magic {
		top.Path = s.worktree(t.real)
	}
	return s.spot(&top, top.Path, links)
}

// apart takes the protected files that were swept out of the main place, so that
// a question names each of them.
func (s *survey) apart(main *permissions.Place) []fixedGuard {
	var out []fixedGuard
	for _, g := range s.swept {
		if slices.ContainsFunc(out, func(have fixedGuard) bool { return have.path == g.path }) {
			continue
		}
		if len(out) == s.w.limits.spread {
			main.Protected = "more protected files than can be named"
			break
		}
		out = append(out, g)
	}
	return out
}

// worktree is the folder that git takes for the top of the work tree, as far as
// it is in the workspace: the nearest one upwards that holds .git.
func (s *survey) worktree(real string) string {
	for dir := real; s.w.zone(dir) == permissions.Inside; dir = path.Dir(dir) {
		if _, err := s.disk.kind(join(dir, ".git")); err == nil {
			return dir
		}
	}
	return real
}

// spares reports whether a sweep leaves out the entry of a folder that is depth
// folders below its start. git itself refuses to track anything named .git.
// mayi's folder in a project only counts as long as its content is what the
// person has trusted, so that whatever git checks out there opens nothing.
func spares(sweep permissions.Sweep, depth int, folded string) bool {
	switch sweep {
	case permissions.TrackedFiles:
		return folded == ".git" || folded == ownFolder
	case permissions.AnyFiles:
		return folded == ".git" && depth == 0
	}
	return false
}
