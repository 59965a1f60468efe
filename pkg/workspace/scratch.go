package workspace

import "mayi/pkg/permissions"

// scratch is the place of a private file that the call makes itself with
// mktemp: nothing that is there yet, and nobody else's.
func (s *survey) scratch(e *permissions.Effect) spot {
	p := permissions.Place{Writable: true, Readable: true}
	s.guard(&p, e, trail{names: []string{e.Path}})
	return spot{e.Path, p}
}
