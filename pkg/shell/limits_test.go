package shell

import (
	"runtime"
	"strings"
	"testing"

	"mayi/pkg/shell/knowledge"
)

// Pathological input ends as unread within the work budget, which bounds time
// without a clock.
func TestPathologicalInput(t *testing.T) {
	loops := strings.Repeat("while a; do x=$x$y; y=$(cd $x; b); ", 30) + "c" + strings.Repeat("; done", 30)
	cases := map[string]string{
		"too long":                strings.Repeat("echo x\n", 200_000),
		"ten thousand brackets":   strings.Repeat("(", 10_000) + strings.Repeat(")", 10_000),
		"ten thousand groups":     strings.Repeat("{ ", 10_000),
		"nested substitutions":    strings.Repeat("$(", 10_000),
		"nested arithmetic":       "echo $((" + strings.Repeat("(", 9_000),
		"negations":               strings.Repeat("! ", 20_000) + "a",
		"nested ifs":              strings.Repeat("if ", 20_000),
		"nested loops":            loops,
		"functions that call":     "f() { g; g; g; }; g() { h; h; h; }; h() { f; f; f; }; f",
		"eval that grows":         `x='eval "$x"; eval "$x"; eval "$x"'; eval "$x"`,
		"arithmetic that recurs":  "x='y+y'; y='x+x'; echo $((x))",
		"words that double":       "a=xx; " + strings.Repeat("a=$a$a; ", 40) + "cat $a",
		"values that multiply":    strings.Repeat("[ $q ] && a=$a1 || a=$a2; ", 100) + "cat $a",
		"brace expansions":        "echo " + strings.Repeat("{a,b,c}", 40),
		"a loop over many words":  "for a in {1..100}; do for b in {1..100}; do for c in {1..100}; do rm $a$b$c; done; done; done",
		"a NUL":                   "ls\x00",
		"not UTF-8":               "ls \xff\xfe",
		"a line of many commands": strings.Repeat("ls;", 20_000),
	}
	a := New(knowledge.Load())
	for name, command := range cases {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			an := a.Analyze(command, Env{Cwd: "/ws", Home: "/home/dev"})
			runtime.ReadMemStats(&after)
			if grown := after.TotalAlloc - before.TotalAlloc; grown > 512<<20 {
				t.Errorf("%d MiB were allocated", grown>>20)
			}
			consistent(t, command, an)
			if len(an.Parts)+len(an.Effects)+len(an.Unread) == 0 {
				t.Error("the analysis is empty")
			}
			unread := len(an.Unread)
			for _, p := range an.Parts {
				unread += len(p.Unread)
			}
			unknown := 0
			for _, e := range an.Effects {
				if e.Certainty == 0 {
					unknown++
				}
			}
			switch name {
			case "brace expansions", "a loop over many words", "values that multiply":
				// Nothing here is hidden, or it shows as an unknown word.
			default:
				if unread == 0 && unknown == 0 {
					t.Errorf("nothing is unread in %d parts", len(an.Parts))
				}
			}
			t.Logf("%d parts, %d effects, %d unread, %d MiB", len(an.Parts), len(an.Effects), unread, (after.TotalAlloc-before.TotalAlloc)>>20)
		})
	}
}
