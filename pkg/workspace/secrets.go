package workspace

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"mayi/pkg/permissions"
)

//go:embed secrets.json
var secretsData []byte

// Secret is a kind of file whose content opens something: a row of
// secrets.json. Reading one raises the risk of a call, is said in words of its
// own, and is covered by no grant for a folder above it.
type Secret struct {
	// What it is, in a few words: "a private SSH key".
	What string `json:"what"`
	// Paths are gitignore-style patterns: "/…" absolute, "~/…" in the home,
	// "**/…" at any depth. What lies below is meant, too. Not are exceptions.
	Paths []string `json:"paths"`
	Not   []string `json:"not,omitempty"`
}

// Secrets returns the built-in list.
func Secrets() []Secret {
	var out []Secret
	if err := json.Unmarshal(secretsData, &out); err != nil {
		panic(fmt.Sprintf("the built-in list of secrets: %v", err)) // a test reads it
	}
	return out
}

// secret is a compiled row.
type secret struct {
	what       string
	paths, not []glob
}

func newSecrets(home string) []secret {
	sc := scope{home: home, loose: true}
	var out []secret
	for _, row := range Secrets() {
		s := secret{what: row.What}
		for _, p := range row.Paths {
			s.paths = append(s.paths, sc.compile(p)...)
		}
		for _, p := range row.Not {
			s.not = append(s.not, sc.compile(p)...)
		}
		out = append(out, s)
	}
	return out
}

// keeps says what kind of secret one of the names is; "" for none.
func (w *Workspace) keeps(names []string) string {
	for _, name := range names {
		if name == "" {
			continue
		}
		comps := split(name)
		for i := range w.secrets {
			if covered(w.secrets[i].paths, comps) && !covered(w.secrets[i].not, comps) {
				return w.secrets[i].what
			}
		}
	}
	return ""
}

func covered(globs []glob, comps []string) bool {
	for i := range globs {
		if globs[i].covers(comps) {
			return true
		}
	}
	return false
}

// secret notes what the path of a read keeps, under any of its names.
func (s *survey) secret(p *permissions.Place, e *permissions.Effect, t trail) {
	if e.Kind != permissions.Read && e.Kind != permissions.Undeclared {
		return
	}
	p.Secret = s.w.keeps(append([]string{t.real, e.Path}, t.names...))
}
