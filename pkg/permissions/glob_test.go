package permissions

import (
	"path"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestMatchPath(t *testing.T) {
	for _, tc := range []struct {
		glob, path string
		want       bool
	}{
		{".env", "/ws/.env", true},
		{".env", "/ws/a/b/.env", true},
		{".env", "/elsewhere/.env", true},
		{".env", "/ws/.env/below", true},
		{".env", "/ws/.env.example", false},
		{".env", "/ws/x.env", false},
		{"*.pem", "/ws/a/k.pem", true},
		{"*.pem", "/ws/.pem", true},
		{"src/*.go", "/ws/src/a.go", true},
		{"src/*.go", "/ws/src/b/a.go", false},
		{"src/*.go", "/ws/x/src/a.go", false},
		{"src/*.go", "/src/a.go", false},
		{"src/", "/ws/src/a", true},
		{"src/", "/ws/x/src/a", true},
		{"src/**", "/ws/src", true},
		{"src/**/x", "/ws/src/x", true},
		{"src/**/x", "/ws/src/a/b/x", true},
		{"src/**/x", "/ws/src/a/b/y", false},
		{"**/.git/**", "/ws/vendor/lib/.git/hooks/post-merge", true},
		{"**/.git/**", "/ws/vendor/lib/git/hooks", false},
		{"/etc", "/etc/passwd", true},
		{"/etc", "/etcetera", false},
		{"/etc/", "/etc", true},
		{"/", "/anything", true},
		{"/**", "/anything", true},
		{"~/.ssh/**", "/home/dev/.ssh/id_rsa", true},
		{"~/.ssh/**", "/home/dev/.sshx/id_rsa", false},
		{"~", "/home/dev/x", true},
		{".", "/ws/x", true},
		{"./src", "/ws/src/x", true},
		{"./src", "/ws/a/src/x", false},
		{"[!a]b", "/ws/cb", true},
		{"[!a]b", "/ws/ab", false},
		{`\*x`, "/ws/*x", true},
		{`\*x`, "/ws/ax", false},
		{"a?c", "/ws/abc", true},
		{"a?c", "/ws/a/c", false},
		{"A", "/ws/a", false},
		{"/ws//a", "/ws/./a", true},
	} {
		if got := MatchPath(tc.glob, tc.path, []string{"/ws"}, "/home/dev"); got != tc.want {
			t.Errorf("%s on %s: %v", tc.glob, tc.path, got)
		}
	}
	if MatchPath("src/x", "/other/src/x", []string{"/ws"}, "") {
		t.Error("a relative glob left the workspace")
	}
	if !MatchPath("x", "/a[b/x", []string{"/a[b"}, "") || !MatchPath("d/x", "/a[b/d/x", []string{"/a[b"}, "") {
		t.Error("a root with a bracket is not taken literally")
	}
	if MatchPath("d/x", "/axb/d/x", []string{"/a*b"}, "") || MatchPath("~/x", "/h1/x", nil, "/h?") {
		t.Error("a root or a home with a wildcard is taken for a pattern")
	}
}

// The index finds a rule exactly where trying every pattern does.
func TestPathIndexEqualsScan(t *testing.T) {
	component := rapid.SampledFrom([]string{"a", "b", "*", "**", "?", "*.go", "x.go", ".env", "*.e*", "[ab]", `\*`})
	rapid.Check(t, func(t *rapid.T) {
		x := pathIndex{liberal: often(t, "liberal", 50)}
		for range rapid.IntRange(1, 6).Draw(t, "rules") {
			glob := oneOf(t, "start", "", "/", "~/", "**/") + strings.Join(rapid.SliceOfN(component, 1, 3).Draw(t, "glob"), "/")
			if checkGlob(glob) != nil {
				continue
			}
			x.add(&Rule{Glob: glob}, []string{"/ws", "/a"}, "/home")
		}
		name := oneOf(t, "under", []string{}, []string{"ws"}, []string{"a"}, []string{"home"})
		for range rapid.IntRange(0, 3).Draw(t, "depth") {
			name = append(name[:len(name):len(name)], oneOf(t, "name", "a", "b", "x.go", ".env", "*", "y.go"))
		}
		for _, self := range []bool{false, true} {
			scan := false
			for _, e := range x.all {
				scan = scan || e.pattern.matches(name, self)
			}
			if got := x.find(name, self) != nil; got != scan {
				t.Fatalf("%v self %v: index %v, scan %v of %v", name, self, got, scan, x.all)
			}
		}
	})
}

// What a pattern and a shell glob both match, they overlap in.
func TestOverlapsIsSound(t *testing.T) {
	text := rapid.StringMatching(`[ab.*?]{1,4}`)
	rapid.Check(t, func(t *rapid.T) {
		rule, shell := text.Draw(t, "rule"), text.Draw(t, "shell")
		name := rapid.StringMatching(`[ab.]{1,5}`).Draw(t, "name")
		hidden := strings.HasPrefix(name, ".") && !strings.HasPrefix(shell, ".")
		a, _ := path.Match(rule, name)
		b, _ := path.Match(shell, name)
		if a && b && !hidden && !componentsOverlap(rule, shell) {
			t.Fatalf("%q and %q both match %q", rule, shell, name)
		}
	})
}

func TestOverlaps(t *testing.T) {
	for _, tc := range []struct {
		rule, shell string
		want        bool
	}{
		{".env", "/ws/.e*", true}, {".env", "/ws/*", false}, {".env", "/ws/?env", false}, {".env", "/ws/[.]env", false},
		{"*.pem", "/ws/*.go", false}, {"*.pem", "/ws/*", true}, {"*.pem", "/ws/k?pem", true}, {"src/x", "/ws/*/x", true}, {"src/x", "/ws/*/y", false},
		{"/etc/passwd", "/???/p?sswd", true}, {"/etc", "/e*/x", true}, {"a", "/ws/**", true}, {"secret", "/ws/@(secret|x)", true}, {"x", `/ws/\x`, true},
	} {
		got := false
		for _, p := range compileGlob(tc.rule, []string{"/ws"}, "/home/dev", true) {
			got = got || p.overlaps(components(tc.shell))
		}
		if got != tc.want {
			t.Errorf("%s and %s: %v", tc.rule, tc.shell, got)
		}
	}
}

func FuzzMatchPath(f *testing.F) {
	for _, s := range [][2]string{{".env", "/ws/.env"}, {"**/a/**", "/ws/b/a"}, {"[a", "/"}, {"~/x", "/home/dev/x"}, {"a/**/**/b", "/ws/a/b"}, {`\`, `/\`}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, glob, name string) {
		if checkGlob(glob) != nil || len(glob) > 200 || len(name) > 200 {
			return
		}
		roots := []string{"/ws", "/other"}
		got := MatchPath(glob, name, roots, "/home/dev")
		if again := MatchPath(glob, "/"+strings.Join(components(name), "/"), roots, "/home/dev"); again != got {
			t.Fatalf("%q on %q: %v, tidied %v", glob, name, got, again)
		}
		if got && !MatchPath(glob, name+"/below", roots, "/home/dev") {
			t.Fatalf("%q matches %q but not what is below", glob, name)
		}
		for _, p := range compileGlob(glob, roots, "/home/dev", true) {
			p.overlaps(components(name))
		}
	})
}

// TestPathPatterns: a glob spelt out for whoever matches paths in its place.
func TestPathPatterns(t *testing.T) {
	for glob, want := range map[string]string{
		"a/b/**": "/w[s/a/b", "a/./b/": "/w[s/a/b", "*.tf": "**/*.tf", "**/a/b": "**/a/b", "/srv//a/**/**": "/srv/a", "~/n/**": "/home/u/n", "~": "/home/u",
		"**": "**", "/**": "**", "/": "/", ".": "/w[s", "[!a]/b": "/w[s/[^a]/b", "a/**/b": "/w[s/a/**/b",
	} {
		want = strings.ReplaceAll(want, "/w[s", `/w\[s`)
		if got := PathPatterns(glob, []string{"/w[s"}, "/home/u"); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q, wanted %q", glob, got, want)
		}
	}
	if got := PathPatterns("a/b", []string{"/x", "/y"}, ""); !slices.Equal(got, []string{"/x/a/b", "/y/a/b"}) {
		t.Errorf("two roots: %q", got)
	}
	if got := PathPatterns("~/a", nil, ""); !slices.Equal(got, []string{"**/a"}) {
		t.Errorf("without a home: %q", got)
	}
}
