package knowledge

import (
	"slices"
	"strings"
	"testing"

	"mayi/pkg/shell/value"

	"pgregory.net/rapid"
)

// TestSpellings: an option means the same however its value is joined to it.
func TestSpellings(t *testing.T) {
	b := Load()
	n := 0
	for _, name := range b.Names() {
		tab, err := b.builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		if tab.spec.Style != "" || tab.commands != nil {
			continue
		}
		for spelling, o := range tab.options {
			if !o.takes || o.optional || o.last || !strings.HasPrefix(spelling, "-") || len(spelling) > 2 && !strings.HasPrefix(spelling, "--") {
				continue
			}
			sep := ""
			if strings.HasPrefix(spelling, "--") {
				sep = "="
			}
			if sep == "" && tab.options[spelling+"v"] != nil {
				continue
			}
			describe := func(words ...string) string {
				return strings.Join(show(b.Describe(exact(append([]string{name}, words...)...))), "; ")
			}
			apart, joined := describe(spelling, "v", "x"), describe(spelling+sep+"v", "x")
			n++
			if apart != joined {
				t.Errorf("%s %s v: %s\n%s %s: %s", name, spelling, apart, name, spelling+sep+"v", joined)
			}
		}
	}
	if n < 500 {
		t.Errorf("only %d options were compared", n)
	}
}

// TestAbbreviations: a prefix of a long option means that option or is unread,
// and never less.
func TestAbbreviations(t *testing.T) {
	b := Load()
	for _, name := range []string{"sort", "tar", "cp", "mv", "grep", "sed", "wc", "split", "shuf", "install", "wget", "curl", "rsync", "xargs", "env"} {
		tab, err := b.builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, long := range tab.spelled().long {
			o := tab.options[long]
			for k := 3; k < len(long); k++ {
				short := long[:k]
				if tab.options[short] != nil {
					continue
				}
				arg, whole := short, long
				if o.takes && !o.optional {
					arg, whole = short+"=v", long+"=v"
				}
				got := show(b.Describe(exact(name, arg, "x")))
				if slices.Contains(got, "unread") {
					continue
				}
				if want := show(b.Describe(exact(name, whole, "x"))); !slices.Equal(got, want) {
					t.Errorf("%s %s: %v, but %s: %v", name, arg, got, whole, want)
				}
			}
		}
	}
}

// TestChoices: a word that is one of several is described as all of them.
func TestChoices(t *testing.T) {
	b := Load()
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"sort", "rm", "cp", "git", "sed", "tar", "find", "grep", "curl", "env", "awk", "xargs", "uniq"}).Draw(t, "program")
		word := rapid.SampledFrom([]string{"-o", "f", "-r", "--output=x", "log", "push", "s/a/b/w x", "-i", "xf", ".", "-delete", "-exec", "rm", ";", "http://a", "-d", "@f", "A=1", "{system(\"x\")}", "-e", "-t", "--", "-n"})
		argv := []value.Value{value.Exact(name)}
		for range rapid.IntRange(1, 4).Draw(t, "n") {
			argv = append(argv, value.Exact(word.Draw(t, "word")))
		}
		at := rapid.IntRange(1, len(argv)-1).Draw(t, "at")
		first, _ := argv[at].Text()
		second := word.Draw(t, "second")
		both := slices.Clone(argv)
		both[at] = value.OneOf(first, second)
		got := show(b.Describe(both))
		for _, one := range []string{first, second} {
			each := slices.Clone(argv)
			each[at] = value.Exact(one)
			for _, line := range show(b.Describe(each)) {
				if line == "nothing" || line == "transparent" || strings.HasPrefix(line, "name ") || line == "clear-env" || line == "unread" && slices.Contains(got, "unread") {
					continue
				}
				if !slices.Contains(got, line) && !slices.Contains(got, may(line)) && !strings.HasPrefix(line, "stdin") && !strings.HasPrefix(line, "cwd") {
					t.Fatalf("%v loses %q of %s: %v", both, line, one, got)
				}
			}
		}
	})
}

// may is the line of an access that is one of several.
func may(line string) string {
	kind, rest, _ := strings.Cut(line, " ")
	return strings.TrimSuffix(kind, "?") + "? " + rest
}

// TestUnknownWords: a word that nobody knows never hides that it could be an
// option which does something.
func TestUnknownWords(t *testing.T) {
	b := Load()
	for _, name := range b.Names() {
		tab, err := b.builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		if tab.spec.Style == "none" || len(tab.spelled().risky) == 0 {
			continue
		}
		u := b.Describe([]value.Value{value.Exact(name), value.Unknown("$x"), value.Exact("f")})
		if len(u.Unread) == 0 {
			t.Errorf("%s $x may mean %s: %v", name, tab.spelled().risky[0], show(u))
		}
		if u := b.Describe([]value.Value{value.Exact(name), value.Concat(value.Exact("-"), value.Unknown("$x"))}); len(u.Unread) == 0 {
			t.Errorf("%s -$x: %v", name, show(u))
		}
	}
}
