package workspace

// linked returns the protected entry that leads to the canonical path without
// having its name: writing the file that ~/.bashrc is a link to is writing
// ~/.bashrc, and writing a file that .git/config includes is writing that.
func (s *survey) linked(real string) string {
	if !s.linksRead {
		s.linksRead = true
		for _, f := range s.w.guards.fixed {
			t, err := s.resolver(nil).follow(f.path)
			if err == nil && t.exists && len(t.names) > 0 {
				s.leads = append(s.leads, fixedGuard{t.real, f.text})
			}
		}
		for _, root := range s.w.roots {
			for _, name := range s.gitFiles(root) {
				if t, err := s.resolver(nil).follow(name); err == nil && !t.magic {
					s.leads = append(s.leads, fixedGuard{t.real, "named by .git/config"})
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
