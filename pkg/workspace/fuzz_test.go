package workspace_test

import (
	"path"
	"strings"
	"testing"

	"mayi/pkg/permissions"
	"mayi/pkg/workspace"
)

// FuzzResolve: no name makes the resolver fail, and what it calls inside is
// inside by its own canonical name, which is a fixed point.
func FuzzResolve(f *testing.F) {
	g := newGround(f, "ws/a/b.txt", "ws/leak -> $T/out", "ws/in -> a", "out/secret", "ws/loop -> loop", "ws/.git/config")
	for _, s := range []string{"a/b.txt", "leak/secret", "in/../leak", "loop/x", "../out", "\x00", "/dev/null/../x", "a*", "[", "**/b.txt", "{a,b}", ".git/config", "é\u200d/\xff", "a/./..//b", "/proc/self/cwd/a", `\`, "?[!a]"} {
		f.Add(s, false, false, "in")
		f.Add(s, true, true, "/")
	}
	w := workspace.New(g.conf)
	f.Fuzz(func(t *testing.T, name string, glob, recursive bool, target string) {
		full := name
		if !strings.HasPrefix(name, "/") {
			full = g.ws + "/" + name
		}
		if recursive && !strings.HasPrefix(path.Clean(full), g.top) {
			recursive = false // the rest of the machine is large
		}
		got := w.Resolve([]permissions.Effect{
			{Kind: permissions.FSWrite, Path: g.ws + "/new", LinkTo: target},
			{Kind: permissions.Read, Path: full, Glob: glob, Recursive: recursive, Certainty: permissions.Bounded},
		}, []string{"*.txt", name})
		if len(got) < 2 {
			t.Fatalf("%d effects are left of 2", len(got))
		}
		for _, e := range got {
			p := e.Place
			if p.Zone == permissions.Outside {
				continue
			}
			if p.Real == "" || path.Clean(p.Real) != p.Real {
				t.Fatalf("%q is let in as %q", full, p.Real)
			}
			if p.Zone == permissions.Inside && p.Real != g.ws && !strings.HasPrefix(p.Real, g.ws+"/") {
				t.Fatalf("%q is inside as %q", full, p.Real)
			}
		}
		if !glob && workspace.Within(full, g.ws) {
			real, err := workspace.Canonical(full)
			if err != nil || !workspace.Within(real, g.ws) {
				t.Fatalf("%q is inside, its canonical name %q is not (%v)", full, real, err)
			}
		}
	})
}
