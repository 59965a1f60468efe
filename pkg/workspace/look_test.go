package workspace_test

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"

	"mayi/pkg/permissions"
	"mayi/pkg/workspace"
)

func TestBelow(t *testing.T) {
	g := newGround(t, "ws/a/.env", "ws/a/b/.env", "ws/a/x.txt", "ws/.env", "ws/leak -> $T/out", "out/.env", "ws/c/.git/config", "ws/d/x", "ws/secrets/k1",
		"ws/dir.txt/.git/config")
	w := workspace.New(g.conf)
	for _, c := range []struct {
		kind  permissions.Kind
		path  string
		glob  bool
		watch []string
		below []string
		guard bool
	}{
		{permissions.Read, "$W/a", false, []string{".env"}, []string{"$W/a/.env", "$W/a/b/.env"}, false},
		{permissions.Read, "$W", false, []string{"/ws/.env", "secrets/**"}, []string{"$W/secrets"}, false},
		{permissions.Read, "$W/d", false, []string{".env"}, nil, false},
		{permissions.Read, "$W", false, nil, nil, false},
		{permissions.Read, "$W/d", false, []string{"a/.env"}, nil, false},
		{permissions.Read, "$W/leak", false, []string{".env"}, []string{"$T/out/.env"}, false},
		{permissions.FSWrite, "$W/c", false, nil, nil, true},
		{permissions.FSWrite, "$W/d", false, nil, nil, false},
		{permissions.FSWrite, "$W", false, nil, nil, true},
		{permissions.Read, "$W/a/.e*", true, []string{".env"}, []string{"$W/a/.env"}, false},
		{permissions.Read, "$W/a/*", true, []string{".env"}, nil, false},
		{permissions.Read, "$W/**/.env", true, []string{".env"}, []string{"$T/out/.env", "$W/.env", "$W/a/.env", "$W/a/b/.env"}, false},
		{permissions.FSWrite, "$W/**/*.txt", true, nil, nil, false},
		{permissions.FSWrite, "$W/**/config", true, nil, nil, true},
	} {
		e := permissions.Effect{Kind: c.kind, Path: g.name(c.path), Recursive: !c.glob, Glob: c.glob, Certainty: permissions.Bounded}
		p := w.Resolve([]permissions.Effect{e}, c.watch)[0].Place
		var want []string
		for _, b := range c.below {
			want = append(want, g.name(b))
		}
		slices.Sort(p.Below)
		if !slices.Equal(p.Below, want) || (p.Protected != "") != c.guard || p.Partial {
			t.Errorf("%d %s watching %v: below %v protected %q partial %v", c.kind, c.path, c.watch, p.Below, p.Protected, p.Partial)
		}
	}
}

func TestGlobs(t *testing.T) {
	g := newGround(t, "ws/a.txt", "ws/b.txt", "ws/sub/c.txt", "ws/leak.txt -> $T/out/secret", "out/secret", "ws/dir -> $T/out", "ws/ok -> a.txt",
		"ws/.hidden -> $T/out", "etc/a.conf", "etc/b.conf -> $T/out/secret", "ws/q[1]", "ws/in/x.log", "ws/in/y.log")
	for _, c := range []struct {
		path string
		zone permissions.Zone
		// outs are the real places of the effects outside.
		outs []string
	}{
		{"$W/b*", in, nil},
		{"$W/*.md", in, nil},
		{"$W/*.txt", out, []string{"$T/out/secret"}},
		{"$W/*/secret", out, []string{"$T/out/secret"}},
		{"$W/d*", out, []string{"$T/out"}},
		{"$W/o*", in, nil},
		{"$W/?.txt", in, nil},
		{"$W/[ab].txt", in, nil},
		{"$W/[!dl]*", in, nil},
		{"$W/[^dl]*", in, nil},
		{"$W/[A-E]ir", out, []string{"$T/out"}},
		{"$W/d[[:alpha:]]r", out, []string{"$T/out"}},
		{"$W/.h*", out, []string{"$T/out"}},
		{"$W/h*", in, nil},
		{"$W/in/*.log", in, nil},
		{"$T/etc/*.conf", out, []string{"$T/etc/*.conf", "$T/out/secret"}},
		{"$W/*/../../out/secret", out, []string{"$T/out/secret"}},
		{"$W/none*/../../out", out, []string{"$T/out"}},
		{`$W/q\[1\]`, in, nil},
		{"/dev/nul*", out, []string{"/dev/nul*"}},
	} {
		got := g.at(permissions.Read, c.path, globbed)
		if got[0].Place.Zone != c.zone {
			t.Errorf("%s: zone %d", c.path, got[0].Place.Zone)
		}
		var outs, want []string
		for _, e := range got {
			if e.Place.Zone == out {
				outs = append(outs, e.Place.Real)
			}
		}
		for _, o := range c.outs {
			want = append(want, g.name(o))
		}
		slices.Sort(outs)
		slices.Sort(want)
		if !slices.Equal(outs, want) {
			t.Errorf("%s: outside %v, want %v", c.path, outs, want)
		}
	}
}

func TestGlobLimits(t *testing.T) {
	many := newGround(t)
	for i := range 40 {
		if err := os.Symlink(fmt.Sprintf("/nowhere/%d", i), fmt.Sprintf("%s/l%d", many.ws, i)); err != nil {
			t.Fatal(err)
		}
	}
	got := many.at(permissions.Read, "$W/l*", globbed)
	last := got[len(got)-1].Place
	if len(got) > 20 || last.Zone != out || last.Real != "" || last.Err == "" {
		t.Errorf("%d effects, the last one %+v", len(got), last)
	}
}

func TestLinksOfTheCallCount(t *testing.T) {
	g := newGround(t, "out/secret", "ws/dir/", "ws/safe/x", "ws/old -> $T/out")
	link := func(path, target string) permissions.Effect {
		return permissions.Effect{Kind: permissions.FSWrite, Path: g.name(path), LinkTo: g.name(target), Certainty: permissions.Exact}
	}
	read := func(path string) permissions.Effect {
		return permissions.Effect{Kind: permissions.Read, Path: g.name(path), Certainty: permissions.Exact}
	}
	w := workspace.New(g.conf)
	for _, c := range []struct {
		name    string
		effects []permissions.Effect
		real    string
		zone    permissions.Zone
	}{
		{"a link to the outside", []permissions.Effect{link("$W/e", "$T/out"), read("$W/e/secret")}, "$T/out/secret", out},
		{"a relative one", []permissions.Effect{link("$W/e", "../out"), read("$W/e/secret")}, "$T/out/secret", out},
		{"into a folder", []permissions.Effect{link("$W/dir", "$T/out"), read("$W/dir/out/secret")}, "$T/out/secret", out},
		{"one that stays inside", []permissions.Effect{link("$W/e", "safe"), read("$W/e/x")}, "$W/e/x", in},
		{"two steps", []permissions.Effect{link("$W/e", "f"), link("$W/f", "$T/out"), read("$W/e/secret")}, "$T/out/secret", out},
		{"set right again, perhaps in vain", []permissions.Effect{link("$W/e", "$T/out"), link("$W/e", "safe"), read("$W/e/secret")}, "$T/out/secret", out},
		{"an old link replaced, perhaps in vain", []permissions.Effect{link("$W/old", "safe"), read("$W/old/x")}, "$T/out/x", out},
		{"a loop that the call makes", []permissions.Effect{link("$W/e", "f"), link("$W/f", "e"), read("$W/e/x")}, "", out},
		{"a link to itself opens nothing", []permissions.Effect{link("$W/e", "e"), read("$W/e/x")}, "$W/e/x", in},
		{"to a folder beside it", []permissions.Effect{link("$W/e", "safe"), link("$W/e/safe", "safe"), read("$W/e"), read("$W/e/safe")}, "$W/e", in},
		{"later links do not count before", []permissions.Effect{read("$W/e/secret"), link("$W/e", "$T/out")}, "$W/e/secret", in},
		{"a glob through it", []permissions.Effect{link("$W/e", "$T/out"), {Kind: permissions.Read, Path: g.name("$W/e*/secret"), Glob: true}}, "$T/out/secret", out},
	} {
		got := w.Resolve(c.effects, nil)
		found := slices.ContainsFunc(got, func(e permissions.Effect) bool {
			return e.Kind == permissions.Read && e.Place.Zone == c.zone && e.Place.Real == g.name(c.real)
		})
		strict := slices.ContainsFunc(got, func(e permissions.Effect) bool { return e.Kind == permissions.Read && e.Place.Zone == out })
		if !found && c.real != "" || strict != (c.zone == out) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

func TestResolveLeavesTheRestAlone(t *testing.T) {
	g := newGround(t)
	effects := []permissions.Effect{
		{Kind: permissions.NetRead, Host: "example.org"},
		{Kind: permissions.Exec, Program: "make"},
		{Kind: permissions.FSWrite, Why: "a variable"},
	}
	got := workspace.New(g.conf).Resolve(effects, nil)
	if len(got) != 3 || got[0].Place.Err != "" || got[1].Place.Err != "" || got[2].Place.Err == "" || got[2].Place.Zone != out {
		t.Errorf("%+v", got)
	}
	if effects[2].Place.Err != "" {
		t.Error("the caller's effects were changed")
	}
}

// TestConcurrentResolve: one workspace serves every call at once.
func TestConcurrentResolve(t *testing.T) {
	g := newGround(t, "ws/a.txt", "ws/leak -> $T/out", "out/secret")
	w := workspace.New(g.conf)
	effects := []permissions.Effect{
		{Kind: permissions.FSWrite, Path: g.ws + "/e", LinkTo: g.top + "/out"},
		{Kind: permissions.Read, Path: g.ws + "/e/secret"},
		{Kind: permissions.Read, Path: g.ws, Recursive: true},
		{Kind: permissions.FSWrite, Path: g.ws + "/*", Glob: true},
	}
	want := fmt.Sprint(w.Resolve(effects, []string{"*.txt"}))
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 20 {
				if got := fmt.Sprint(w.Resolve(effects, []string{"*.txt"})); got != want {
					t.Errorf("got %s\nwant %s", got, want)
				}
			}
		})
	}
	wg.Wait()
}
