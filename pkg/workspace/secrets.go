package workspace

import (
	_ "embed"
	"fmt"

	"mayi/internal/jsonscan"
	"mayi/pkg/permissions"
)

//go:embed secrets.json
var secretsData []byte

// Secret is a kind of file whose content opens something: a row of
// secrets.json. Reading one raises the risk of a call, is said in words of its
// own, and is covered by no grant for a folder above it.
type Secret struct {
	// What it is, in a few words: "a private SSH key".
	What string
	// Paths are gitignore-style patterns: "/…" absolute, "~/…" in the home,
	// "**/…" at any depth. What lies below is meant, too. Not are exceptions.
	Paths []string
	Not   []string
}

// Secrets returns the built-in list.
func Secrets() []Secret {
	out := make([]Secret, 0, 16)
	s := jsonscan.New(secretsData)
	s.Elements(func() {
		var row Secret
		s.Object(row.read)
		out = append(out, row)
	})
	if err := s.Err(); err != nil {
		panic(fmt.Sprintf("the built-in list of secrets: %v", err)) // a test reads it
	}
	return out
}

func (row *Secret) read(s *jsonscan.Scanner, key []byte) bool {
	switch string(key) {
	case "what":
		row.What = s.Str()
	case "paths":
		row.Paths = s.Strs()
	case "not":
		row.Not = s.Strs()
	default:
		return false
	}
	return true
}

// secrets are the rows, with the place of the patterns in the home.
type secrets struct {
	bases bases
	rows  []Secret
}

func newSecrets(home string) secrets {
	out := secrets{rows: Secrets()}
	if home != "" {
		out.bases.home = split(home)
	}
	return out
}

// keeps says what kind of secret one of the names is; "" for none.
func (w *Workspace) keeps(names []string) string {
	for _, name := range names {
		if name == "" {
			continue
		}
		v := w.secrets.bases.see(split(name))
		for i := range w.secrets.rows {
			if row := &w.secrets.rows[i]; w.secrets.covered(row.Paths, &v) && !w.secrets.covered(row.Not, &v) {
				return row.What
			}
		}
	}
	return ""
}

func (s *secrets) covered(list []string, v *view) bool {
	for _, p := range list {
		if v.matches(s.bases.place(p), true) {
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
