package workspace

import (
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"mayi/pkg/permissions"
)

// tameEntries bounds how many names are looked at for one answer.
const tameEntries = 20_000

// IsTame reports whether no name in the tree has one of the features, so that a
// list of these names splits into just them. It is false where that cannot be
// found out. Links are not followed: whoever lists names does not either.
func IsTame(t permissions.Tame) bool {
	real, err := Canonical(t.Tree)
	if err != nil || t.Tree == "" {
		return false
	}
	if t.Index && !indexIsTame(real, t.Without) {
		return false
	}
	left := tameEntries
	todo := []string{real}
	for len(todo) > 0 {
		dir := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		entries, more, err := osDisk{}.list(dir, left)
		if err != nil && missing(err) {
			continue
		}
		if err != nil || more {
			return false
		}
		left -= len(entries)
		for _, e := range entries {
			name := e.Name()
			if awkward(name, t.Without) || dir == real && t.Without&permissions.Dash != 0 && strings.HasPrefix(name, "-") {
				return false
			}
			if e.IsDir() && e.Type()&fs.ModeSymlink == 0 {
				todo = append(todo, path.Join(dir, name))
			}
		}
	}
	return true
}

// awkward reports whether a name, or a path, has one of the features other than
// a leading dash.
func awkward(name string, what permissions.Awkward) bool {
	for i := range len(name) {
		c := name[i]
		switch {
		case c == '\n':
			if what&permissions.Newline != 0 {
				return true
			}
		case c <= ' ' || c == 0x7f:
			if what&permissions.Blank != 0 {
				return true
			}
		case c == '\'' || c == '"':
			if what&permissions.Quote != 0 {
				return true
			}
		case c == '\\':
			if what&permissions.Backslash != 0 {
				return true
			}
		}
	}
	if what&permissions.Blank != 0 && !utf8.ValidString(name) {
		return true // a byte alone may be a blank in some locale
	}
	if what&permissions.DotGlob != 0 {
		for part := range strings.SplitSeq(name, "/") {
			if dotGlob(part) {
				return true
			}
		}
	}
	return false
}

// dotGlob: taken for a pattern, the name may match "." or "..".
func dotGlob(name string) bool {
	if strings.HasPrefix(name, ".") && strings.ContainsAny(name, "*?[") {
		return true
	}
	for _, ext := range [...]string{"?(", "*(", "+(", "@(", "!("} {
		if strings.Contains(name, ext) {
			return true
		}
	}
	return false
}
