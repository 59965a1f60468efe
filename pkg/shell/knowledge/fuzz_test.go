package knowledge

import (
	"strings"
	"testing"

	"mayi/pkg/shell/value"
)

// FuzzDescribe: the description is total. Words are split at newlines; a
// leading byte says what kind of value a word is.
func FuzzDescribe(f *testing.F) {
	for _, s := range []string{"sort\n-o\nf\ng", "git\n-C\na\nlog\n--output=x", "find\n.\n-exec\nrm\n{}\n;", "sed\ns/a/b/e\nf", "awk\n{print > $1}",
		"env\n-S\nA=1 b", "tar\nxzf\na", "tar\nczf", "xargs\n-I\n{}\nmv\n{}\nx", "curl\n-o\n#1\nhttp://{a,b}", "jq\n\"\\(env)\"", "dd\nif=\x01", "\x01",
		"sort\n\x02*.txt", "rm\n\x02[!a-z]*", "uniq\n\x03a|-b\nc", "ssh\nhost\n-o\nx", "sqlite3\n:memory:\n.shell x", "make\n-f\n-", "7z\nx\na", "ln\n-s\na"} {
		f.Add(s)
	}
	b := Load()
	f.Fuzz(func(t *testing.T, text string) {
		var argv []value.Value
		for _, w := range strings.Split(text, "\n") {
			switch {
			case strings.HasPrefix(w, "\x01"):
				argv = append(argv, value.Concat(value.Exact(w[1:]), value.Unknown("?")))
			case strings.HasPrefix(w, "\x02"):
				argv = append(argv, value.Pattern(w[1:]))
			case strings.HasPrefix(w, "\x03"):
				argv = append(argv, value.OneOf(strings.Split(w[1:], "|")...))
			case strings.HasPrefix(w, "\x04"):
				argv = append(argv, value.Unknown("?").WithMany())
			default:
				argv = append(argv, value.Exact(w))
			}
		}
		u := b.Describe(argv)
		for _, i := range u.Canon {
			if i < 0 || i >= len(argv) {
				t.Fatalf("Canon names word %d of %d", i, len(argv))
			}
		}
		for _, a := range u.Accesses {
			if a.Arg >= len(argv) {
				t.Fatalf("an access names word %d of %d", a.Arg, len(argv))
			}
		}
		for _, r := range u.Runs {
			if r.At < 0 || r.At >= max(len(argv), 1) {
				t.Fatalf("a run begins at word %d of %d", r.At, len(argv))
			}
		}
		if u.InnerAt < 0 || u.InnerAt >= max(len(argv), 1) {
			t.Fatalf("the inner words begin at %d of %d", u.InnerAt, len(argv))
		}
		show(u)
	})
}

// FuzzScripts feeds the readers of inline programs.
func FuzzScripts(f *testing.F) {
	for _, s := range []string{"s/a/b/w x", "1e x", "/[/]/d", "y/a/b/", "a\\\nx", ":a;ba", "{print $1 | \"sort\"}", "BEGIN{while((getline l < \"f\")>0)}", "/\"/{x}", "\"\\(env.A)\"", "import \"a\" as b; .", ".a|$ENV"} {
		f.Add(s)
	}
	b := Load()
	f.Fuzz(func(t *testing.T, s string) {
		for _, p := range []string{"sed", "awk", "jq", "yq", "perl", "sqlite3"} {
			b.Describe([]value.Value{value.Exact(p), value.Exact(s), value.Exact(s)})
		}
		b.Describe([]value.Value{value.Exact("env"), value.Exact("-S"), value.Exact(s)})
		b.Describe([]value.Value{value.Exact("git"), value.Exact("-c"), value.Exact(s), value.Exact("log")})
	})
}
