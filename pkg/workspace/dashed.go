package workspace

import "strings"

// HasDashed reports whether the folder may hold an entry whose name begins with
// a dash, which an unquoted glob would hand to a program as an option. It is
// true where that cannot be found out.
func HasDashed(folder string) bool {
	real, err := Canonical(folder)
	if err != nil {
		return true
	}
	entries, err := ReadDir(real)
	if err != nil {
		return true
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "-") {
			return true
		}
	}
	return false
}
