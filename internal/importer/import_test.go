package importer_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"mayi/internal/importer"
)

var update = flag.Bool("update", false, "write what comes out as what is wanted")

// TestCases: each file holds sources of one agent, and what becomes of them.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 4 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		agent := strings.TrimSuffix(filepath.Base(file), ".txtar")
		for i := 0; i+1 < len(a.Files); i += 2 {
			f, want := a.Files[i], &a.Files[i+1]
			got := said(importer.Import(agent, importer.Source{File: f.Name, Text: f.Data, Scope: scopes[strings.HasPrefix(f.Name, "user")]}))
			switch {
			case *update:
				want.Data = []byte(got)
			case got != string(want.Data):
				t.Errorf("%s: %s becomes\n%swant\n%s", agent, f.Name, got, want.Data)
			}
		}
		if *update {
			if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func said(p *importer.Policy, err error) string {
	var b strings.Builder
	if err != nil {
		fmt.Fprintf(&b, "error %v\n", err)
	}
	if p == nil {
		return b.String()
	}
	if p.Mode != "" || p.Folders != nil {
		fmt.Fprintf(&b, "mode %q folders %v\n", p.Mode, folders(p))
	}
	for _, e := range p.Entries {
		fmt.Fprintf(&b, "%s %s", e.List, e.Rule)
		if e.Note != "" {
			fmt.Fprintf(&b, " (%s)", e.Note)
		}
		b.WriteString("\n")
	}
	for _, l := range p.Left {
		fmt.Fprintf(&b, "%s %s: %s\n", map[bool]string{true: "LOST", false: "left"}[l.Looser], l.From, l.Why)
	}
	return b.String()
}

// scopes are those of the cases' files, by whether they are a person's own.
var scopes = map[bool]importer.Scope{true: importer.User, false: ""}

func folders(p *importer.Policy) []string {
	var out []string
	for _, f := range p.Folders {
		out = append(out, map[bool]string{true: "write ", false: "read "}[f.Write]+f.Path)
	}
	return out
}
