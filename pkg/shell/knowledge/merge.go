package knowledge

// merge puts two descriptions of the same words together so that everything
// that either says holds.
func merge(a, b Use) Use {
	if !a.Known {
		return b
	}
	if !b.Known {
		return a
	}
	a.Name = min(a.Name, b.Name)
	if !sameInts(a.Canon, b.Canon) {
		a.Canon = nil
	}
	if !sameInts(a.Bare, b.Bare) {
		a.Bare = nil
	}
	a.Accesses = append(a.Accesses, b.Accesses...)
	a.Net = append(a.Net, b.Net...)
	a.Runs = append(a.Runs, b.Runs...)
	a.Inline = append(a.Inline, b.Inline...)
	a.Stdin = max(a.Stdin, b.Stdin)
	if a.Workspace == "" {
		a.Workspace = b.Workspace
	}
	if a.Executes == "" {
		a.Executes = b.Executes
	}
	a.State = a.State || b.State
	if a.Person == "" {
		a.Person = b.Person
	}
	for _, u := range b.Unread {
		if !contains(a.Unread, u) {
			a.Unread = append(a.Unread, u)
		}
	}
	switch {
	case a.Cwd == nil:
		a.Cwd = b.Cwd
	case b.Cwd != nil && a.Cwd.String() != b.Cwd.String():
		a.Unread = append(a.Unread, "the directory is one of several")
	}
	a.ByName = append(a.ByName, b.ByName...)
	a.Env = append(a.Env, b.Env...)
	a.ClearEnv = a.ClearEnv && b.ClearEnv
	a.Transparent = a.Transparent && b.Transparent
	if a.InnerAt != b.InnerAt {
		a.InnerAt = 0
	}
	a.ArgsMayRun = a.ArgsMayRun || b.ArgsMayRun
	if a.Secret == "" {
		a.Secret = b.Secret
	}
	a.Prints = a.Prints.merge(b.Prints)
	if a.Split != b.Split {
		a.Split = SplitUnknown
	}
	return a
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}

func sameInts(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
