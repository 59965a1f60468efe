package config_test

import (
	"fmt"
	"strings"
	"testing"

	"mayi/pkg/config"
)

func BenchmarkLoad(b *testing.B) {
	for _, rules := range []int{0, 20, 1_000} {
		w := newWorld(b)
		w.write(w.UserFile, config.Template)
		var list []string
		for i := range rules {
			list = append(list, fmt.Sprintf("%q", fmt.Sprintf("command(tool%d sub)", i)))
		}
		w.write(w.ProjectFile, `{"permissions": {"deny": [`+strings.Join(list, ", ")+`]}}`)
		b.Run(fmt.Sprintf("%d rules", rules), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := config.Load(w.Options); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
