package workspace

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"mayi/pkg/permissions"
)

// writtenOut is the same list of patterns with its place written into each.
func writtenOut(roots []string, home string) []glob {
	here := scope{roots: roots, home: home, fold: fold, loose: true}
	var out []glob
	put := func(e Entry, base []segment) {
		out = append(out, glob{text: e.Pattern, segs: here.extend(base, e.Pattern), exact: e.Exact})
	}
	for _, e := range Protected() {
		if e.Where == Anywhere {
			put(e, []segment{{deep: true}})
			continue
		}
		if e.Where == AtRoot {
			for _, root := range roots {
				put(e, here.base(root))
			}
		}
		if home != "" {
			put(e, here.base(home))
		}
	}
	return out
}

// TestPlacedPatterns: patterns that are kept relative to their places match
// what they match written out in full.
func TestPlacedPatterns(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var words []string
	for _, e := range Protected() {
		words = append(words, strings.Split(strings.ReplaceAll(e.Pattern, "**", "x"), "/")...)
	}
	for _, s := range Secrets() {
		for _, p := range append(s.Paths, s.Not...) {
			words = append(words, strings.Split(strings.ReplaceAll(strings.TrimLeft(p, "~/*"), "*", "x"), "/")...)
		}
	}
	words = append(words, "w", "H", "x", ".GIT", "Config", "a.PEM", ".env.x")
	for _, c := range []struct {
		roots []string
		home  string
	}{{[]string{"/w"}, "/H/dev"}, {[]string{"/H/dev/w", "/H/dev"}, "/H/dev"}, {nil, "/H/dev"}, {[]string{"/w"}, ""}, {nil, ""}, {[]string{"/"}, "/"}} {
		g, full := newGuards(c.roots, c.home, nil, nil), writtenOut(c.roots, c.home)
		secrets, open := newSecrets(c.home), secretsWrittenOut(c.home)
		matched := 0
		for range 5_000 {
			name := []string{"", "/w", "/H/dev", "/H/dev/w", "/etc"}[r.IntN(5)]
			for range 1 + r.IntN(4) {
				name += "/" + words[r.IntN(len(words))]
			}
			folded, comps := foldPath(name), split(name)
			covering, naming := "", ""
			for i := range full {
				if covering == "" && full[i].covers(folded) {
					covering = full[i].text
				}
				if naming == "" && full[i].is(folded) {
					naming = full[i].text
				}
			}
			if got := g.covering(folded); got != covering {
				t.Fatalf("roots %v, home %q: %s is protected by %q and not by %q", c.roots, c.home, name, got, covering)
			}
			if got := g.naming(folded); got != naming {
				t.Fatalf("roots %v, home %q: %s is %q and not %q", c.roots, c.home, name, got, naming)
			}
			kept := ""
			for _, s := range open {
				if kept == "" && anyCovers(s.paths, comps) && !anyCovers(s.not, comps) {
					kept = s.what
				}
			}
			if got := (&Workspace{secrets: secrets}).keeps([]string{name}); got != kept {
				t.Fatalf("home %q: %s keeps %q and not %q", c.home, name, got, kept)
			}
			if covering != "" || kept != "" {
				matched++
			}
		}
		if matched < 300 {
			t.Errorf("roots %v, home %q: only %d paths matched", c.roots, c.home, matched)
		}
	}
}

// openly is a kind of secrets, its patterns written out.
type openly struct {
	what       string
	paths, not []glob
}

func secretsWrittenOut(home string) []openly {
	sc := scope{home: home, loose: true}
	var out []openly
	for _, s := range Secrets() {
		o := openly{what: s.What}
		for _, p := range s.Paths {
			o.paths = append(o.paths, sc.compile(p)...)
		}
		for _, p := range s.Not {
			o.not = append(o.not, sc.compile(p)...)
		}
		out = append(out, o)
	}
	return out
}

func anyCovers(list []glob, comps []string) bool {
	for i := range list {
		if list[i].covers(comps) {
			return true
		}
	}
	return false
}

// TestLinksAmongManyNames: what a protected name leads to is found whether the
// folder is listed or has too many names for that, and however it is spelled.
func TestLinksAmongManyNames(t *testing.T) {
	for _, n := range []int{0, maxListed + 1} {
		home, space := real(t, t.TempDir()), real(t, t.TempDir())
		for i := range n {
			if err := os.WriteFile(filepath.Join(home, "f"+strconv.Itoa(i)), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		target := filepath.Join(space, "rc")
		if err := os.WriteFile(target, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, filepath.Join(home, ".bashrc")); err != nil {
			t.Fatal(err)
		}
		w := New(Config{Roots: []string{space}, Home: home, Cwd: space})
		got := w.Resolve([]permissions.Effect{{Kind: permissions.FSWrite, Path: target}}, nil)
		if got[0].Place.Protected != ".bashrc" {
			t.Errorf("%d names besides it: the target of .bashrc is protected by %q", n, got[0].Place.Protected)
		}
	}
	there := names{".bashrc": true, ".zshrc": false, ".config": false}
	for _, c := range []struct {
		in      names
		pattern string
		want    bool
	}{{there, ".BASHRC", true}, {there, ".zshrc", false}, {there, ".profile", false}, {there, ".config/git", true}, {there, ".ssh/x", false}, {nil, ".profile", true}} {
		if got := c.in.mayLead(c.pattern); got != c.want {
			t.Errorf("%s may lead elsewhere: %v", c.pattern, got)
		}
	}
}

func real(t *testing.T, dir string) string {
	t.Helper()
	out, err := Canonical(dir)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestBuiltinPatternsAreSimple: they are not compiled, so they may hold nothing
// that would have to be.
func TestBuiltinPatternsAreSimple(t *testing.T) {
	simple := func(p string) {
		for _, c := range strings.Split(p, "/") {
			if c == "" || c == "." || c == ".." || strings.ContainsAny(c, `?[\`) || c != "**" && strings.Contains(c, "**") || strings.ToLower(c) != fold(c) {
				t.Errorf("%q has the component %q", p, c)
			}
		}
	}
	for _, e := range Protected() {
		simple(e.Pattern)
		if last := e.Pattern[strings.LastIndexByte(e.Pattern, '/')+1:]; strings.Contains(last, "*") {
			t.Errorf("%q ends in a wildcard", e.Pattern)
		}
	}
	for _, s := range Secrets() {
		for _, p := range append(s.Paths, s.Not...) {
			rest := p
			for _, head := range []string{"~/", "/", "**/"} {
				if strings.HasPrefix(p, head) {
					rest = p[len(head):]
					break
				}
			}
			if rest == p {
				t.Errorf("%q begins nowhere", p)
			}
			simple(rest)
		}
	}
}
