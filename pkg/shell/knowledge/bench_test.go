package knowledge

import (
	"testing"

	"mayi/pkg/shell/value"
)

func exact(words ...string) []value.Value {
	out := make([]value.Value, len(words))
	for i, w := range words {
		out[i] = value.Exact(w)
	}
	return out
}

func benchmark(b *testing.B, words ...string) {
	base, argv := Load(), exact(words...)
	base.Describe(argv)
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		base.Describe(argv)
	}
}

func BenchmarkGitStatus(b *testing.B) { benchmark(b, "git", "status", "-s") }
func BenchmarkSort(b *testing.B)      { benchmark(b, "sort", "-u", "-o", "f", "g") }
func BenchmarkFind(b *testing.B) {
	benchmark(b, "find", ".", "-name", "*.go", "-exec", "grep", "-l", "x", "{}", "+")
}
func BenchmarkSed(b *testing.B) { benchmark(b, "sed", "-n", "s/a/b/gp;/x/,/y/d", "f") }

// BenchmarkFirstGit is the cost of the first git command of a process.
func BenchmarkFirstGit(b *testing.B) {
	argv := exact("git", "status", "-s")
	b.ReportAllocs()
	for b.Loop() {
		Load().Describe(argv)
	}
}

func BenchmarkEnv(b *testing.B) {
	base := Load()
	base.EnvEffect("X", value.Exact(""))
	b.ReportAllocs()
	for b.Loop() {
		base.EnvEffect("GIT_PAGER", value.Exact("x"))
	}
}

// BenchmarkFirstEnv is the cost of the first assignment of a process.
func BenchmarkFirstEnv(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Load().EnvEffect("X", value.Exact("1"))
	}
}
