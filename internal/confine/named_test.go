package confine_test

import (
	"testing"

	"mayi/internal/confine"
	"mayi/pkg/permissions"
)

func TestNames(t *testing.T) {
	effect := func(kind permissions.Kind, real string, change ...func(*permissions.Effect)) permissions.Effect {
		e := permissions.Effect{Kind: kind, Certainty: permissions.Exact, Place: permissions.Place{Real: real}}
		for _, f := range change {
			f(&e)
		}
		return e
	}
	glob := func(e *permissions.Effect) { e.Glob, e.Certainty = true, permissions.Bounded }
	own := func(e *permissions.Effect) { e.Place.Own = true }
	unknown := func(e *permissions.Effect) { e.Certainty = permissions.Unknown }
	for _, c := range []struct {
		e     permissions.Effect
		path  string
		write bool
		want  bool
	}{
		{effect(permissions.Read, "/d"), "/d", false, true},
		{effect(permissions.Read, "/d"), "/d/a", false, true},
		{effect(permissions.Read, "/d"), "/d2", false, false},
		{effect(permissions.Read, "/d"), "/d", true, false},
		{effect(permissions.FSWrite, "/d"), "/d", true, true},
		{effect(permissions.FSWrite, "/d"), "/d", false, true},
		{effect(permissions.NetRead, "/d"), "/d", false, false},
		{effect(permissions.Read, "/d/*.txt", glob), "/d/a.txt", false, true},
		{effect(permissions.Read, "/d/*.txt", glob), "/d/.a.txt", false, false},
		{effect(permissions.Read, "/d/*.txt", glob), "/d/a.key", false, false},
		{effect(permissions.Read, "/d/*", glob), "/d", false, false},
		{effect(permissions.Read, "/*/a", glob), "/x/a/b", false, true},
		{effect(permissions.Read, "/d", own), "/d", false, false},
		{effect(permissions.Read, "/d", unknown), "/d", false, false},
		{effect(permissions.Read, ""), "/d", false, false},
	} {
		if got := confine.Names([]permissions.Effect{c.e}, c.path, c.write); got != c.want {
			t.Errorf("%+v names %s (write %v): %v", c.e, c.path, c.write, got)
		}
	}
}
