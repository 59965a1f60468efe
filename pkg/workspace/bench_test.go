package workspace_test

import (
	"fmt"
	"os"
	"testing"

	"mayi/pkg/permissions"
	"mayi/pkg/workspace"
)

func BenchmarkWithin(b *testing.B) {
	g := newGround(b, "ws/a/b/c/d.txt")
	for b.Loop() {
		workspace.Within(g.ws+"/a/b/c/d.txt", g.ws)
	}
}

func BenchmarkNew(b *testing.B) {
	g := newGround(b)
	for b.Loop() {
		workspace.New(g.conf)
	}
}

func BenchmarkResolve(b *testing.B) {
	g := newGround(b, "ws/a/b.txt", "ws/.git/config", "home/.bashrc")
	for i := range 1_000 {
		if err := os.MkdirAll(fmt.Sprintf("%s/tree/%d/x", g.ws, i%50), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(fmt.Sprintf("%s/tree/%d/f%d", g.ws, i%50, i), nil, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	w := workspace.New(g.conf)
	for _, c := range []struct {
		name string
		e    permissions.Effect
	}{
		{"read", permissions.Effect{Kind: permissions.Read, Path: g.ws + "/a/b.txt"}},
		{"write", permissions.Effect{Kind: permissions.FSWrite, Path: g.ws + "/a/b.txt"}},
		{"glob", permissions.Effect{Kind: permissions.Read, Path: g.ws + "/a/*.txt", Glob: true}},
		{"recursive read, 1,000 files", permissions.Effect{Kind: permissions.Read, Path: g.ws + "/tree", Recursive: true}},
		{"recursive write, 1,000 files", permissions.Effect{Kind: permissions.FSWrite, Path: g.ws + "/tree", Recursive: true}},
	} {
		b.Run(c.name, func(b *testing.B) {
			effects := []permissions.Effect{c.e}
			b.ReportAllocs()
			for b.Loop() {
				w.Resolve(effects, []string{".env", "*.pem"})
			}
		})
	}
}
