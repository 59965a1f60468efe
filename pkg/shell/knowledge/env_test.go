package knowledge

import (
	"strings"
	"testing"
)

// TestEnvNames: every name of the table is found in its own entry, by the first
// look-ups as by those after them, and stands there once.
func TestEnvNames(t *testing.T) {
	all := Load().env()
	seen, patterns := map[string]*envVar{}, 0
	for _, e := range all.entries {
		if strings.Join(strings.Fields(e.Names), " ") != e.Names {
			t.Errorf("%.40q is not separated by single blanks", e.Names)
		}
		for name := range strings.FieldsSeq(e.Names) {
			if seen[name] != nil {
				t.Errorf("variable %s stands twice", name)
			}
			seen[name] = e
			if strings.Count(name, "*") > 1 {
				t.Errorf("%s has two stars", name)
			}
			if before, after, star := strings.Cut(name, "*"); star {
				if p := all.patterns[patterns]; p.before != before || p.after != after || p.envVar != e {
					t.Errorf("pattern %d is %s*%s and not %s", patterns, p.before, p.after, name)
				}
				patterns++
			}
		}
	}
	if len(all.patterns) != patterns || patterns < 20 || len(seen) < 500 {
		t.Errorf("%d of %d patterns, %d names", len(all.patterns), patterns, len(seen))
	}
	asked := 0
	for name, want := range seen {
		if strings.Contains(name, "*") {
			want = nil
		}
		fresh := &envTable{entries: all.entries}
		first := fresh.exact(name)
		fresh.asked.Store(fewAsked)
		if later := fresh.exact(name); first != want || later != want {
			t.Errorf("%s is found in %v, later in %v", name, first, later)
		}
		if asked++; asked == 100 {
			break
		}
	}
	for _, name := range []string{"", " ", "GIT", "PAGER GIT", "AT", "GIT_PAGER MANPAGER", "x"} {
		fresh := &envTable{entries: all.entries}
		first := fresh.exact(name)
		fresh.asked.Store(fewAsked)
		if later := fresh.exact(name); first != seen[name] || later != seen[name] {
			t.Errorf("%q is found in %v, later in %v", name, first, later)
		}
	}
	if list := "a bc d"; hasWord(list, "b") || hasWord(list, "a bc") || hasWord(list, "") || !hasWord(list, "a") || !hasWord(list, "bc") || !hasWord(list, "d") {
		t.Error("words are not told apart")
	}
}
