package workspace_test

import (
	"path/filepath"
	"strings"
	"testing"

	"mayi/pkg/permissions"
	"mayi/pkg/workspace"
)

// ground is a workspace in a tree of its own.
type ground struct {
	top, ws, home string
	conf          workspace.Config
}

func newGround(t testing.TB, entries ...string) *ground {
	t.Helper()
	top := tree(t, append([]string{"ws/", "home/"}, entries...)...)
	g := &ground{top: top, ws: top + "/ws", home: top + "/home"}
	g.conf = workspace.Config{
		Roots: []string{g.ws}, Home: g.home, Cwd: g.ws,
		Own: []string{g.home + "/.config/mayi", g.home + "/.local/state/mayi", g.ws + "/.mayi"},
	}
	return g
}

// name puts the ground's folders in place of $T, $W and $H.
func (g *ground) name(s string) string {
	return strings.NewReplacer("$T", g.top, "$W", g.ws, "$H", g.home).Replace(s)
}

// at resolves one effect and returns what it became.
func (g *ground) at(kind permissions.Kind, path string, more ...func(*permissions.Effect)) []permissions.Effect {
	e := permissions.Effect{Kind: kind, Path: g.name(path), Certainty: permissions.Exact}
	for _, m := range more {
		m(&e)
	}
	return workspace.New(g.conf).Resolve([]permissions.Effect{e}, nil)
}

func recursive(e *permissions.Effect) { e.Recursive = true }
func bounded(e *permissions.Effect)   { e.Certainty = permissions.Bounded }
func globbed(e *permissions.Effect)   { e.Glob, e.Certainty = true, permissions.Bounded }

const (
	in  = permissions.Inside
	out = permissions.Outside
	dev = permissions.Device
)

func TestZone(t *testing.T) {
	g := newGround(t, "ws/a/b.txt", "ws2/x", "out/secret", "extra/y", "ws/leak -> ../out", "ws/null -> /dev/null", "ws/loop -> loop",
		"ws/dangling -> $T/out/none", "ws/proc -> /proc/self/cwd")
	g.conf.Trusted = []string{g.top + "/extra"}
	for _, c := range []struct {
		path string
		zone permissions.Zone
		real string // "" where it cannot be known
	}{
		{"$W", in, "$W"},
		{"$W/a/b.txt", in, "$W/a/b.txt"},
		{"$W/new/file", in, "$W/new/file"},
		{"$T/extra/y", in, "$T/extra/y"},
		{"$T/ws2/x", out, "$T/ws2/x"},
		{"$W/../out/secret", out, "$T/out/secret"},
		{"$W/leak/secret", out, "$T/out/secret"},
		{"$W/leak/../ws/a", in, "$W/a"},
		{"$W/dangling", out, "$T/out/none"},
		{"$W/loop", out, ""},
		{"relative", out, ""},
		{"", out, ""},
		{"$W/a\x00", out, ""},
		{"/dev/null", dev, "/dev/null"},
		{"/dev//./null", dev, "/dev/null"},
		{"$W/null", dev, "/dev/null"},
		{"/dev/tty", dev, "/dev/tty"},
		{"/dev/stdin", dev, "/dev/stdin"},
		{"/dev/stdout", dev, "/dev/stdout"},
		{"/dev/stderr", dev, "/dev/stderr"},
		{"/dev/fd/0", dev, "/dev/fd/0"},
		{"/dev/fd/2", dev, "/dev/fd/2"},
		{"/dev/ptmx", dev, "/dev/ptmx"},
		{"/dev/zero", dev, "/dev/zero"},
		{"/dev/full", dev, "/dev/full"},
		{"/dev/random", dev, "/dev/random"},
		{"/dev/urandom", dev, "/dev/urandom"},
		{"/dev/fd/3", out, "/dev/fd/3"},
		{"/dev/fd", out, "/dev/fd"},
		{"/dev/sda", out, "/dev/sda"},
		{"/dev/nullx", out, "/dev/nullx"},
		{"/dev/shm/x", out, "/dev/shm/x"},
		{"/dev/null/../../home/dev/.bashrc", out, "/home/dev/.bashrc"},
		{"/dev/null/x", out, "/dev/null/x"},
		{"/dev/stdin/../../etc/passwd", out, "/proc/self/fd/0/../../etc/passwd"},
		{"/proc/self/root$W/a", in, "$W/a"},
		{"/proc/self/root/etc/passwd", out, "/etc/passwd"},
		{"/proc/self/cwd/../out/secret", out, "$T/out/secret"},
		{"/proc/self/cwd/a", out, "$W/a"},
		{"$W/proc/a", out, "$W/a"},
		{"/proc/self/environ", out, "/proc/self/environ"},
		{"/proc/self/fd/0", out, "/proc/self/fd/0"},
		{"/proc/self/exe", out, "/proc/self/exe"},
		{"/proc/thread-self/cwd/a", out, "/proc/thread-self/cwd/a"},
		{"/proc/1/root$W/a", out, "/proc/1/root$W/a"},
		{"/proc/version", out, "/proc/version"},
	} {
		want := c.real
		if strings.HasPrefix(c.path, "/dev/stdin/..") {
			want = filepath.Clean(want)
		}
		got := g.at(permissions.Read, c.path)
		if len(got) != 1 {
			t.Fatalf("%s: %d effects", c.path, len(got))
		}
		p := got[0].Place
		if p.Zone != c.zone || p.Real != g.name(want) {
			t.Errorf("%s: zone %d real %q, want %d %q", c.path, p.Zone, p.Real, c.zone, g.name(want))
		}
		if c.real == "" && p.Err == "" {
			t.Errorf("%s: no reason is given", c.path)
		}
	}
}

func TestNoRootsNothingInside(t *testing.T) {
	g := newGround(t, "ws/a", "extra/y")
	g.conf.Roots, g.conf.Trusted = nil, []string{g.top + "/extra"}
	for _, path := range []string{"$W/a", "$T/extra/y", "/"} {
		if p := g.at(permissions.Read, path)[0].Place; p.Zone != out {
			t.Errorf("%s is inside of no workspace", path)
		}
	}
	g.conf.Roots = []string{"relative", ""}
	if p := g.at(permissions.Read, "$W/a")[0].Place; p.Zone != out {
		t.Error("roots that mean nothing let something in")
	}
	g.conf.Roots = []string{"/"}
	if p := g.at(permissions.Read, "/etc/passwd")[0].Place; p.Zone != in {
		t.Error("a root of / holds everything")
	}
}

func TestStandingGrants(t *testing.T) {
	g := newGround(t, "lib/include/a.h", "lib/link -> $T/out", "out/secret", "home/notes/x.md", "home/notes/y.txt", "alias -> lib", "w/f")
	g.conf.ReadPaths = []string{g.top + "/alias/include", "~/notes/*.md", g.top + "/lib/link/../none"}
	g.conf.WritePaths = []string{g.top + "/w"}
	for _, c := range []struct {
		path        string
		read, write bool
	}{
		{"$T/lib/include/a.h", true, false},
		{"$T/alias/include/new.h", true, false},
		{"$T/lib/include", true, false},
		{"$T/lib/include2", false, false},
		{"$T/lib/include/../link/secret", false, false},
		{"$H/notes/x.md", true, false},
		{"$H/notes/y.txt", false, false},
		{"$T/w/f", true, true},
		{"$T/w/../out/secret", false, false},
		{"$T/none/x", true, false}, // where lib/link/../none leads
		{"$T/lib/none", false, false},
	} {
		p := g.at(permissions.Read, c.path)[0].Place
		if p.Zone != out || p.Readable != c.read || p.Writable != c.write {
			t.Errorf("%s: zone %d readable %v writable %v", c.path, p.Zone, p.Readable, p.Writable)
		}
	}
}
