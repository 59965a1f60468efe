package entry

import (
	"strings"
	"testing"
)

func BenchmarkMask(b *testing.B) {
	m := NewMasker()
	for name, s := range map[string]string{
		"line": "git log --oneline --format='%h %s' | head -20",
		"64KB": strings.Repeat("token = value; https://a:b@c/ && curl -u x:y z\n", 1400),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				m.Mask(s)
			}
		})
	}
	b.Run("make", func(b *testing.B) {
		for b.Loop() {
			NewMasker()
		}
	})
}
