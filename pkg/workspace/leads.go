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
		for _, f := range s.w.guards.fixed {
			if !s.linkOnTheWay(f) {
				continue
			}
			if t, err := s.resolver(nil).follow(f.path); err == nil && t.exists {
				s.leads = append(s.leads, fixedGuard{path: t.real, text: f.text})
			}
		}
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

// linkOnTheWay reports whether a component below the base is a link. Most
// protected files do not exist, and most of the rest are files.
func (s *survey) linkOnTheWay(f fixedGuard) bool {
	for end := len(f.base); end < len(f.path); {
		next := strings.IndexByte(f.path[end+1:], '/')
		if end += 1 + next; next < 0 {
			end = len(f.path)
		}
		kind, err := s.disk.kind(f.path[:end])
		if err != nil {
			return false
		}
		if kind&fs.ModeSymlink != 0 {
			return true
		}
	}
	return false
}
