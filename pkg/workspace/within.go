package workspace

import "path"

// Within reports whether path is root or lies inside it, after symbolic links
// are followed component by component in both. A tail that does not exist yet
// counts as it is written, so a dangling link that points outside is outside,
// and "link/.." is what the kernel would open. Relative paths, loops, NUL
// bytes and directories that may not be searched give false.
func Within(path, root string) bool {
	return within(osDisk{}, path, root)
}

func within(d disk, name, root string) bool {
	r, err := (&resolver{disk: d}).follow(root)
	if err != nil || r.magic {
		return false
	}
	p, err := (&resolver{disk: d}).follow(name)
	return err == nil && !p.magic && inside(p.real, r.real)
}

// Canonical returns the one name of the place that an absolute path leads to,
// with every symbolic link followed. What does not exist is kept as it is
// written. An error says why the path cannot be followed.
func Canonical(name string) (string, error) {
	t, err := (&resolver{disk: osDisk{}}).follow(name)
	if err != nil {
		return "", err
	}
	return path.Clean(t.real), nil
}
