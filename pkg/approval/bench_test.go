package approval_test

import (
	"strings"
	"testing"

	"mayi/pkg/approval"
)

func BenchmarkVisible(b *testing.B) {
	for name, s := range map[string]string{
		"ascii":    strings.Repeat("git log --oneline | head\n", 40),
		"cyrillic": strings.Repeat("привет мир ", 90),
		"hostile":  strings.Repeat("a\u202e\x1b\u0430/\u0301", 100),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				approval.Visible(s)
			}
		})
	}
}
