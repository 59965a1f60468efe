package corpus

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestCorpus(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	shared := newGround(t)
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txtar"), func(t *testing.T) {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			cases, err := parse(string(data))
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range cases {
				g := shared
				if len(c.links) > 0 {
					g = newGround(t)
				}
				check(t, g, c)
			}
		})
	}
}

func check(t *testing.T, g *ground, c testcase) {
	t.Helper()
	for link, target := range c.links {
		if err := os.Symlink(g.place(target), g.place(link)); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
	}
	d, err := g.decide(c)
	if err != nil {
		t.Errorf("%s: %v", c.name, err)
		return
	}
	if ok := d.Decision == c.expect || c.expect == "not-allow" && (d.Decision == "ask" || d.Decision == "deny"); !ok {
		t.Errorf("%s: %s, want %s: %s\n\t%s\n\t%s", c.name, d.Decision, c.expect, d.Reason, c.shown(), c.why)
	}
	for _, want := range c.outside {
		// What is reached by climbing is below the tree's own top.
		spellings := []string{g.place(want), filepath.Clean(g.place(want)), filepath.Join(g.top, want)}
		named := func(p string) bool { return slices.Contains(spellings, p) }
		found := false
		for _, e := range d.Effects {
			found = found || named(e.Path) || named(e.Name) || named(filepath.Clean(e.Name))
		}
		if !found {
			t.Errorf("%s: %s is not named\n\t%s", c.name, want, c.shown())
		}
	}
}

// TestBothSides: a class that only knew one answer would prove nothing.
func TestBothSides(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.txtar")
	var allowed, refused int
	var names []string
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		cases, err := parse(string(data))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			if slices.Contains(names, c.name) {
				t.Errorf("two cases are called %s", c.name)
			}
			names = append(names, c.name)
			if c.expect == "allow" {
				allowed++
			} else {
				refused++
			}
		}
	}
	if allowed < 700 || refused < 2000 {
		t.Errorf("%d allowed and %d refused cases are left", allowed, refused)
	}
}

// TestNoGuard: the same attempts under a policy that allows everything are
// allowed, so that it is the policy that the cases are about.
func TestNoGuard(t *testing.T) {
	g := newGround(t)
	for _, command := range []string{"cd src && cat ../../etc/passwd", "grep -R x src", "sort -o /home/dev/x notes.txt", "git log --output=/home/dev/x"} {
		input, err := json.Marshal(map[string]string{"command": command})
		if err != nil {
			t.Fatal(err)
		}
		c := testcase{name: command, tool: "bash", input: string(input), policy: `{"mode":"auto","allowNonWorkspaceAccess":true}`, expect: "allow"}
		check(t, g, c)
	}
}
