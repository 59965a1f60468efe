package shell

import (
	"strings"
	"testing"
	"unicode/utf8"

	"mayi/pkg/permissions"
	"mayi/pkg/shell/knowledge"
)

// FuzzAnalyze: no input makes the analysis panic or answer with nothing, and
// what it answers is consistent.
func FuzzAnalyze(f *testing.F) {
	for _, s := range seeds() {
		f.Add(s)
	}
	a := New(knowledge.Load())
	env := Env{Cwd: "/ws", Home: "/home/dev", User: "dev"}
	f.Fuzz(func(t *testing.T, command string) {
		an := a.Analyze(command, env)
		for _, u := range an.Unread {
			if strings.HasPrefix(u.Why, "the analysis broke off") {
				t.Fatalf("%q: %s", command, u.Why)
			}
		}
		_, unread := a.parse(command)
		if len(unread) > 0 && len(an.Unread) == 0 {
			t.Fatalf("%q cannot be read and the analysis does not say so", command)
		}
		if !utf8.ValidString(command) && len(an.Unread) == 0 {
			t.Fatalf("%q is not UTF-8 and the analysis does not say so", command)
		}
		consistent(t, command, an)
	})
}

// consistent checks what every analysis promises.
func consistent(t *testing.T, command string, an Analysis) {
	t.Helper()
	for i, p := range an.Parts {
		if p.Parent >= i || p.Parent < -1 {
			t.Fatalf("%q: part %d has the parent %d", command, i, p.Parent)
		}
		if p.InnerAt < 0 || p.InnerAt > len(p.Words) {
			t.Fatalf("%q: part %d: inner words at %d of %d", command, i, p.InnerAt, len(p.Words))
		}
		if bad(p.Span, command) {
			t.Fatalf("%q: part %d has the span %v", command, i, p.Span)
		}
		if p.Class == permissions.Program && (len(p.Words) == 0 || !p.Words[0].Known) && len(p.Unread) == 0 {
			t.Fatalf("%q: part %d is a program without a known name, and nothing says so", command, i)
		}
	}
	for _, e := range an.Effects {
		if e.Part < -1 || e.Part >= len(an.Parts) || bad(e.Span, command) {
			t.Fatalf("%q: effect %+v stands nowhere", command, e)
		}
		if e.Path == "" && e.Certainty != permissions.Unknown && (e.Kind == permissions.Read || e.Kind == permissions.FSWrite) {
			t.Fatalf("%q: effect on no path is not unknown: %+v", command, e)
		}
		if e.Path != "" && e.Path[0] != '/' && e.Certainty != permissions.Unknown {
			t.Fatalf("%q: the path %q is not absolute", command, e.Path)
		}
	}
}

func bad(s permissions.Span, command string) bool {
	return s.Start < 0 || s.Start > s.End || s.End > len(command)+1
}

// seeds are the commands of the case files and some that are pathological.
func seeds() []string {
	return []string{
		"", "ls", "#", "a=(b c); echo ${a[@]:1}", "f() { f & f; }; f", "x=$x$x; eval \"$x\"",
		"echo $((a[$(b)]))", "case x in (a|b) c;; esac", "for ((;;)) do :; done", "[[ a =~ (b) ]]",
		"cat <<A <<-'B'\n$(x)\nA\n\ty\n\tB\n", "{a,{b,c}{1..9}}", "${x@P}", "${!x}", "`echo \\`a\\``", "$'\\x00\\u1'",
		"exec {fd}<>x >&$fd", "coproc { a; }", "sh -c 'sh -c \"$1\"' _ x", ". <(a)", "trap 'a' 0 1; a=2",
		strings.Repeat("(", 500), strings.Repeat("{ ", 300), strings.Repeat("if a; then ", 300),
		strings.Repeat("a=$a$a;", 100), strings.Repeat("while a; do ", 12) + "x" + strings.Repeat("; done", 12),
		"echo " + strings.Repeat("{a,b}", 30), strings.Repeat("$(", 200), "\xff", "a\x00b", "a\r\nb",
		"x=y; while read x; do eval $x; done", "declare -n a=b b=a; a=1", "((x=x+x)); echo $x",
	}
}
