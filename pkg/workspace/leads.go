package workspace

import (
	"io/fs"
	"strings"
)

// linked returns the protected entry that leads to the canonical path without
// having its name: writing the file that ~/.bashrc is a link to is writing
// ~/.bashrc, and writing a file that .git/config includes is writing that.
func (s *survey) linked(real string) string {
	if !s.linksRead {
		s.linksRead = true
		s.readLeads()
		for _, root := range s.w.roots {
			for _, name := range s.gitFiles(root) {
				if t, err := s.resolver(nil).follow(name); err == nil && !t.magic {
					s.leads = append(s.leads, fixedGuard{path: t.real, text: "named by .git/config"})
				}
			}
		}
	}
	for _, l := range s.leads {
		if inside(real, l.path) {
			return l.text
		}
	}
	return ""
}

// readLeads finds the places that links under protected names lead to.
func (s *survey) readLeads() {
	listed := map[string]names{}
	s.w.guards.fixed(func(base string, row *Entry) bool {
		there, known := listed[base]
		if !known {
			there = s.namesIn(base)
			listed[base] = there
		}
		if !there.mayLead(row.Pattern) {
			return true
		}
		name := join(base, row.Pattern)
		if !s.linkOnTheWay(base, name) {
			return true
		}
		if t, err := s.resolver(nil).follow(name); err == nil && t.exists {
			s.leads = append(s.leads, fixedGuard{path: t.real, text: row.Pattern})
		}
		return true
	})
}

// maxListed is how many entries of a folder are listed before its names are
// rather looked at one by one.
const maxListed = 256

// names are the folded names in a folder and whether each may be a link, nil
// where they are not known.
type names map[string]bool

// namesIn lists a folder. To list it costs less than to look at a hundred names,
// most of which are not there.
func (s *survey) namesIn(dir string) names {
	entries, more, err := s.disk.list(dir, maxListed)
	if err != nil || more {
		return nil
	}
	out := make(names, len(entries))
	for _, e := range entries {
		name := fold(e.Name())
		out[name] = out[name] || e.Type()&fs.ModeSymlink != 0
	}
	return out
}

// mayLead is false where no link is on the way of the pattern: its first
// component is not there, or is the last and no link.
func (n names) mayLead(pattern string) bool {
	first, rest := next(pattern)
	link, there := n[fold(first)]
	return n == nil || link || there && rest != ""
}

// linkOnTheWay reports whether a component of path below base is a link. Most
// protected files do not exist, and most of the rest are files.
func (s *survey) linkOnTheWay(base, path string) bool {
	for end := len(base); end < len(path); {
		next := strings.IndexByte(path[end+1:], '/')
		if end += 1 + next; next < 0 {
			end = len(path)
		}
		kind, err := s.disk.kind(path[:end])
		if err != nil {
			return false
		}
		if kind&fs.ModeSymlink != 0 {
			return true
		}
	}
	return false
}
