package workspace

import (
	"os"
	"path"
)

// FindRoot returns the workspace that a working directory belongs to: the
// nearest folder, from cwd upwards, that holds .mayi or .git, or cwd itself
// where there is none. The home directory and the folders above it are never a
// workspace because of what lies in them (a repository of dot files must not
// make the whole home one), nor is a folder that belongs to somebody else.
func FindRoot(cwd, home string) string {
	dir, err := Canonical(cwd)
	if err != nil {
		return cwd
	}
	if h, err := Canonical(home); err == nil {
		home = h
	}
	for at := dir; at != "/"; at = path.Dir(at) {
		if home != "" && inside(home, at) {
			break
		}
		for _, mark := range []string{ownFolder, ".git"} {
			if _, err := os.Lstat(join(at, mark)); err != nil {
				continue
			}
			if at != dir && ownedByOther(at) {
				return dir
			}
			return at
		}
	}
	return dir
}
