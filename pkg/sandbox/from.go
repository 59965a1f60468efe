package sandbox

import (
	"path"

	"mayi/pkg/workspace"
)

// Workspace is the Spec of a command that may read and write below one folder.
func Workspace(dir, home string) Spec {
	s := Spec{Dir: dir, Home: home, Write: []string{dir}, Env: Environment{Mask: SecretVariables()}}
	s.Protected = protectedNames([]string{dir}, home)
	s.Denied = secretNames(home)
	return s
}

// protectedNames is the built-in list of protected paths as patterns.
func protectedNames(roots []string, home string) []Pattern {
	var out []Pattern
	for _, e := range workspace.Protected() {
		put := func(glob string) {
			out = append(out, Pattern{Glob: glob, Exact: e.Exact, Why: e.Why})
		}
		switch e.Where {
		case workspace.Anywhere:
			put("**/" + e.Pattern)
			continue
		case workspace.AtRoot:
			for _, r := range roots {
				put(path.Join(r, e.Pattern))
			}
		}
		if home != "" {
			put(path.Join(home, e.Pattern))
		}
	}
	for _, r := range roots {
		out = append(out, Pattern{Glob: path.Join(r, ".mayi"), Firm: true, Why: "mayi's own settings"})
	}
	return out
}

func secretNames(home string) []Pattern {
	if home == "" {
		return nil
	}
	var out []Pattern
	for _, f := range HomeSecrets() {
		out = append(out, Pattern{Glob: path.Join(home, f), Why: "a secret of the home folder"})
	}
	return out
}
