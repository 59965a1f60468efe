package workspace_test

import (
	"slices"
	"testing"

	"mayi/pkg/permissions"
	"mayi/pkg/workspace"
)

// What git checks out is asked about by the protected files that are there, each
// under its own name.
func TestSweep(t *testing.T) {
	g := newGround(t, "ws/.git/config", "ws/.mayi/settings.json", "ws/.vscode/settings.json", "ws/.vscode/extensions.json", "ws/.envrc",
		"ws/sub/a.txt", "ws/sub/.gitattributes", "ws/vendor/lib/.git/config", "out/.git/config", "out/.envrc", "ws/leak -> $T/out")
	w := workspace.New(g.conf)
	for _, c := range []struct {
		sweep permissions.Sweep
		path  string
		want  []string
	}{
		{permissions.TrackedFiles, "$W", []string{"$W/.envrc", "$W/.vscode/settings.json", "$W/sub/.gitattributes"}},
		{permissions.TrackedFiles, "$W/sub", []string{"$W/.envrc", "$W/.vscode/settings.json", "$W/sub/.gitattributes"}},
		{permissions.TrackedFiles, "$W/sub/../sub", []string{"$W/.envrc", "$W/.vscode/settings.json", "$W/sub/.gitattributes"}},
		{permissions.TrackedFiles, "$W/vendor/lib", nil},
		{permissions.TrackedFiles, "$T/out", []string{"$T/out"}},
		{permissions.AnyFiles, "$W", []string{"$W/.envrc", "$W/.mayi", "$W/.vscode/settings.json", "$W/sub/.gitattributes",
			"$W/vendor/lib/.git", "$W/vendor/lib/.git/config"}},
	} {
		e := permissions.Effect{Kind: permissions.FSWrite, Path: g.name(c.path), Recursive: true, Certainty: permissions.Bounded, Sweep: c.sweep}
		var want, got []string
		for _, name := range c.want {
			want = append(want, g.name(name))
		}
		for _, e := range w.Resolve([]permissions.Effect{e}, nil) {
			if e.Place.Own {
				t.Errorf("%s: %s is mayi's own, which refuses the call", c.path, e.Path)
			}
			if e.Place.Protected != "" || e.Place.Zone == permissions.Outside {
				got = append(got, e.Place.Real)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%v %s: got %q, want %q", c.sweep, c.path, got, want)
		}
	}
}

// A sweep that cannot be looked at as a whole is asked for.
func TestSweepNamesOnlySoMany(t *testing.T) {
	var files []string
	for c := 'a'; c <= 'z'; c++ {
		files = append(files, "ws/"+string(c)+"/.gitattributes")
	}
	g := newGround(t, append(files, "ws/.git/config")...)
	e := permissions.Effect{Kind: permissions.FSWrite, Path: g.name("$W"), Recursive: true, Certainty: permissions.Bounded, Sweep: permissions.TrackedFiles}
	if got := workspace.New(g.conf).Resolve([]permissions.Effect{e}, nil); got[0].Place.Protected == "" || len(got) > 20 {
		t.Errorf("%d effects, the first protected by %q", len(got), got[0].Place.Protected)
	}
}
