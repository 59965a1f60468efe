package confine

import (
	"path"
	"strings"

	"mayi/pkg/permissions"
)

// Names reports whether the effects of an allowed call name an access to a
// canonical path: then it was decided with the call, and is no news.
func Names(effects []permissions.Effect, p string, write bool) bool {
	for i := range effects {
		e := &effects[i]
		if e.Place.Real == "" || e.Place.Own || e.Certainty == permissions.Unknown {
			continue
		}
		if !(e.Kind == permissions.FSWrite || !write && (e.Kind == permissions.Read || e.Kind == permissions.Exec)) {
			continue
		}
		if e.Glob && globbed(e.Place.Real, p) || !e.Glob && below(p, []string{e.Place.Real}) {
			return true
		}
	}
	return false
}

// globbed reports whether p is one of the files that a shell's pattern stands
// for, or lies below one.
func globbed(pattern, p string) bool {
	want, have := strings.Split(pattern, "/"), strings.Split(p, "/")
	if len(have) < len(want) {
		return false
	}
	for i, w := range want {
		if ok, err := path.Match(w, have[i]); err != nil || !ok || strings.HasPrefix(have[i], ".") && !strings.HasPrefix(w, ".") {
			return false
		}
	}
	return true
}
