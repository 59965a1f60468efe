package shell

import (
	"fmt"
	"strings"
	"testing"

	"mayi/pkg/permissions"
	"mayi/pkg/shell/knowledge"

	"pgregory.net/rapid"
)

// Wrapping a command never hides what it does: every program and every effect
// of the command alone is there when something else runs it.
func TestWrappingKeepsEffects(t *testing.T) {
	a := New(knowledge.Load())
	env := Env{Cwd: "/ws", Home: "/home/dev", User: "dev"}
	rapid.Check(t, func(t *rapid.T) {
		command := genCommand(t, 0)
		inner := a.Analyze(command, env)
		text := "'" + strings.ReplaceAll(command, "'", `'\''`) + "'"
		wrapped := rapid.SampledFrom([]string{
			"sh -c " + text,
			"bash -c " + text + " _ a b",
			"eval " + text,
			"( " + command + "\n)",
			"{ " + command + "\n}",
			"f() { " + command + "\n}; f",
			"f() { " + command + "\n}",
			"timeout 5 sh -c " + text,
			"env A=1 nice bash -c " + text,
			"x=" + text + "; eval \"$x\"",
			"bash <<< " + text,
			"bash <<'END_OF_IT'\n" + command + "\nEND_OF_IT",
			"echo " + text + " | sh",
			"echo \"$( " + command + "\n)\"",
			"cat <( " + command + "\n)",
			"if true; then " + command + "\nfi",
			"for q in 1; do " + command + "\ndone",
			"while true; do " + command + "\nbreak; done",
			"case x in x) " + command + "\n;; esac",
			"trap " + text + " EXIT",
			"command eval " + text,
			"true && { " + command + "\n}",
			"source /dev/stdin <<< " + text,
			command + " &",
			"time { " + command + "\n}",
			"coproc { " + command + "\n}",
			": ${x:-$( " + command + "\n)}",
			"exec bash -c " + text,
			"find . -exec sh -c " + text + " \\;",
		}).Draw(t, "wrapper")
		outer := a.Analyze(wrapped, env)
		have := map[string]bool{}
		for _, f := range facts(outer) {
			have[f] = true
		}
		for _, f := range facts(inner) {
			if !have[f] {
				t.Fatalf("%s\nhides %q of\n%s\n%s", wrapped, f, command, show(outer))
			}
		}
	})
}

// facts are the programs and the effects of an analysis, without their place.
func facts(an Analysis) []string {
	var out []string
	for _, p := range an.Parts {
		if p.Class == permissions.Program {
			out = append(out, "part "+showWords(p.Words))
		}
		if len(p.Unread) > 0 {
			out = append(out, "unread")
		}
	}
	for _, e := range an.Effects {
		if e.Path == "" && e.Kind != permissions.Exec {
			continue // unknown stays unknown, or becomes Unread
		}
		out = append(out, fmt.Sprintf("effect %d %s %s", e.Kind, e.Path, e.Host))
	}
	return out
}

// genCommand draws a command line that depends on nothing around it.
func genCommand(t *rapid.T, depth int) string {
	word := func() string {
		return rapid.SampledFrom([]string{"a", "/etc/x", "../y", "src/f", "'q r'", "~/z", "{b,c}", "*.go", "$HOME/h", "$((1+2))"}).Draw(t, "word")
	}
	simple := func() string {
		switch rapid.IntRange(0, 9).Draw(t, "kind") {
		case 0:
			return "rm -rf " + word()
		case 1:
			return "cat " + word() + " " + word()
		case 2:
			return "echo " + word() + " > out" + rapid.SampledFrom([]string{"1", "2"}).Draw(t, "out")
		case 3:
			return "cp " + word() + " dst"
		case 4:
			return "curl -s https://h.example/" + rapid.SampledFrom([]string{"a", "b"}).Draw(t, "url")
		case 5:
			return "./run.sh " + word()
		case 6:
			return "v=" + word() + "; touch \"$v\""
		case 7:
			return "grep -r x " + word()
		case 8:
			return "echo x | tee " + word()
		}
		return "git status"
	}
	if depth > 1 {
		return simple()
	}
	switch rapid.IntRange(0, 7).Draw(t, "shape") {
	case 0:
		return genCommand(t, depth+1) + "; " + genCommand(t, depth+1)
	case 1:
		return "cd sub && " + genCommand(t, depth+1)
	case 2:
		return "(" + genCommand(t, depth+1) + ")"
	case 3:
		return "for i in a b; do rm $i; " + genCommand(t, depth+1) + "; done"
	case 4:
		return "if test -e a; then " + genCommand(t, depth+1) + "; else " + simple() + "; fi"
	}
	return simple()
}
