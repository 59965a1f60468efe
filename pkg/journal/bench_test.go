package journal

import (
	"context"
	"testing"

	"mayi/pkg/journal/entry"
)

// Each iteration does what a process does that writes one record, key loading
// included.
func BenchmarkLight(b *testing.B) {
	r := entry.Record{Event: "refused", Session: "s", Tool: "bash", Text: "git status && rm -rf /tmp/x", Verdict: "deny",
		Effects: []entry.Effect{{Kind: "exec", Program: "git", Certainty: "exact"}}, Rules: []string{"command(git)"}}
	for name, f := range map[string]func(*Light, context.Context, entry.Record) (entry.Record, error){
		"note": (*Light).Note, "append": (*Light).Append,
	} {
		b.Run(name, func(b *testing.B) {
			path := fresh(b)
			write(b, path, 1)
			for b.Loop() {
				if _, err := f(At(path), context.Background(), r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("may remember", func(b *testing.B) {
		path := fresh(b)
		for b.Loop() {
			At(path).MayRemember("s")
		}
	})
}
