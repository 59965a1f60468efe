package shell

import (
	"strings"
	"testing"

	"mayi/pkg/shell/knowledge"

	"mvdan.cc/sh/v3/syntax"
)

var benchCommands = map[string]string{
	"status":   "git status -s",
	"pipeline": "cd src && grep -rn 'needle' --include='*.go' . | sort -u | head -20 > ../out.txt",
	"loop":     "for f in *.txt; do mv \"$f\" \"${f%.txt}.md\"; done; i=0; while [ $i -lt 9 ]; do i=$((i+1)); done",
}

// BenchmarkParse is the parser alone, to compare with.
func BenchmarkParse(b *testing.B) {
	for name, command := range benchCommands {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p := syntax.NewParser(syntax.Variant(syntax.LangBash))
				if _, err := p.Parse(strings.NewReader(command), ""); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAnalyze(b *testing.B) {
	a := New(knowledge.Load())
	env := Env{Cwd: "/ws", Home: "/home/dev", User: "dev", Vars: map[string]string{"PATH": "/usr/bin:/bin"}}
	for name, command := range benchCommands {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				a.Analyze(command, env)
			}
		})
	}
}
