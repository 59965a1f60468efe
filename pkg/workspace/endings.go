package workspace

// endings are the last components of some patterns. A look below asks them
// first: of the thousands of names in a tree, few can end a pattern.
type endings struct {
	plain map[string]bool
	wild  []segment
	all   bool
}

func endingsOf(lists ...[]glob) endings {
	e := endings{plain: map[string]bool{}}
	for _, globs := range lists {
		for i := range globs {
			switch segs := globs[i].segs; {
			case len(segs) == 0 || segs[len(segs)-1].deep:
				e.all = true
			case segs[len(segs)-1].wild:
				e.wild = append(e.wild, segs[len(segs)-1])
			default:
				e.plain[segs[len(segs)-1].text] = true
			}
		}
	}
	return e
}

// may reports whether a path with this last component may match.
func (e *endings) may(name string) bool {
	if e.all || e.plain[name] {
		return true
	}
	for i := range e.wild {
		if e.wild[i].matches(name) {
			return true
		}
	}
	return false
}
