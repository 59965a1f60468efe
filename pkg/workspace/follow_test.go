package workspace_test

import (
	"testing"

	"mayi/pkg/permissions"
	"mayi/pkg/workspace"
)

func following(e *permissions.Effect) { e.Recursive, e.Follow = true, true }
func itself(e *permissions.Effect)    { e.NoFollow = true }

// TestFollow: a program that follows every link reads where they lead.
func TestFollow(t *testing.T) {
	g := newGround(t, "out/secret", "ws/src/a", "ws/src/deep/leak -> ../../../out", "ws/safe/l -> ../src/a", "ws/safe/self -> .",
		"ws/hop/l -> ../src", "ws/one -> src")
	for _, c := range []struct {
		path string
		zone permissions.Zone
		more []func(*permissions.Effect)
	}{
		{"$W/src", out, []func(*permissions.Effect){following}},
		{"$W/src", in, []func(*permissions.Effect){recursive}},
		{"$W", out, []func(*permissions.Effect){following}},
		{"$W/safe", in, []func(*permissions.Effect){following}},
		{"$W/hop", out, []func(*permissions.Effect){following}},
		{"$W/one", out, []func(*permissions.Effect){following}},
		{"$W/s*", out, []func(*permissions.Effect){globbed, following}},
		{"$W/src/a", in, []func(*permissions.Effect){following}},
		{"$W/none", in, []func(*permissions.Effect){following}},
	} {
		zone := in
		for _, e := range g.at(permissions.Read, c.path, c.more...) {
			zone = min(zone, e.Place.Zone)
		}
		if zone != c.zone {
			t.Errorf("%s leads %v, want %v", c.path, zone, c.zone)
		}
	}
}

// TestFollowWatched: what path rules name counts through links as well.
func TestFollowWatched(t *testing.T) {
	g := newGround(t, "ws/.env", "ws/src/l -> ../.env", "ws/dir -> .")
	for _, path := range []string{"$W/src", "$W/dir"} {
		e := permissions.Effect{Kind: permissions.Read, Path: g.name(path), Certainty: permissions.Exact, Recursive: true, Follow: true}
		found := false
		for _, r := range workspace.New(g.conf).Resolve([]permissions.Effect{e}, []string{".env"}) {
			found = found || len(r.Place.Below) > 0
		}
		if !found {
			t.Errorf("below %s, .env is not found", path)
		}
	}
}

// TestItself: what removes or renames a link touches the link alone.
func TestItself(t *testing.T) {
	g := newGround(t, "out/secret", "out/d/x", "ws/l -> ../out/secret", "ws/d -> ../out/d", "ws/up -> ../out")
	for _, c := range []struct {
		path string
		zone permissions.Zone
		real string
	}{
		{"$W/l", in, "$W/l"},
		{"$W/d", in, "$W/d"},
		{"$W/d/", out, "$T/out/d"},
		{"$W/d/.", out, "$T/out/d"},
		{"$W/d/x", out, "$T/out/d/x"},
		{"$W/d/..", out, "$T/out"},
		{"$W/up/d/../secret", out, "$T/out/secret"},
		{"$W/up/../ws/l", in, "$W/l"}, // up leads to out, whose parent holds ws
		{"$T/out/secret", out, "$T/out/secret"},
		{"$W/none", in, "$W/none"},
		{"$W/.git/hooks", in, "$W/.git/hooks"},
	} {
		got := g.at(permissions.FSWrite, c.path, itself)[0].Place
		if got.Zone != c.zone || got.Real != g.name(c.real) {
			t.Errorf("%s is %v %s, want %v %s", c.path, got.Zone, got.Real, c.zone, g.name(c.real))
		}
	}
	if p := g.at(permissions.FSWrite, "$W/.git/hooks", itself)[0].Place; p.Protected == "" {
		t.Error("removing .git/hooks is not protected")
	}
}

// TestFound: what find hands on by name is looked at by name.
func TestFound(t *testing.T) {
	g := newGround(t, "out/secret", "ws/src/a.go", "ws/src/.hid/b.go", "ws/src/deep/l.go -> ../../../out/secret", "ws/src/deep/dir -> ../../../out", "ws/.git/config", "ws/src/.env")
	through := func(e *permissions.Effect) { globbed(e); e.Follow = true }
	removed := func(e *permissions.Effect) { globbed(e); e.NoFollow = true }
	for _, c := range []struct {
		kind      permissions.Kind
		path      string
		zone      permissions.Zone
		protected bool
		more      func(*permissions.Effect)
	}{
		{permissions.Read, "$W/src/**/*.go", out, false, through},
		{permissions.Read, "$W/src/**/*.go", in, false, removed}, // ordinary files alone
		{permissions.Read, "$W/src/**/a.go", in, false, through},
		{permissions.Read, "$W/src/**/dir", out, false, through},
		{permissions.Read, "$W/./**/*.txt", in, false, through},
		{permissions.FSWrite, "$W/./**/*.go", in, false, removed},
		{permissions.FSWrite, "$W/./**/*.tmp", in, false, removed},
		{permissions.FSWrite, "$W/**/config", in, true, removed},
		{permissions.FSWrite, "$W/**/.git", in, true, removed},
	} {
		zone, protected := in, false
		for _, e := range g.at(c.kind, c.path, c.more) {
			zone, protected = min(zone, e.Place.Zone), protected || e.Place.Protected != ""
		}
		if zone != c.zone || protected != c.protected {
			t.Errorf("%v %s: %v, protected %v; want %v, %v", c.kind, c.path, zone, protected, c.zone, c.protected)
		}
	}
	e := permissions.Effect{Kind: permissions.Read, Path: g.name("$W/src/**/.e*"), Glob: true, Certainty: permissions.Bounded}
	if p := workspace.New(g.conf).Resolve([]permissions.Effect{e}, []string{".env"})[0].Place; len(p.Below) == 0 {
		t.Error(".env is not found by **/.e*")
	}
}
