package workspace

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// fold rewrites one name so that every spelling which some file system or some
// reader takes for the same name becomes the same text: letter case, width and
// other compatibility forms, invisible characters (which HFS+ ignores), letters
// of other scripts that look the same, and what Windows drops from the end of a
// name or calls it besides (".git." ".git::$DATA" "GIT~1").
func fold(name string) string {
	ascii := true
	for i := 0; i < len(name); i++ {
		if name[i] >= 0x80 {
			ascii = false
			break
		}
	}
	if ascii {
		name = strings.ToLower(name)
	} else {
		name = strings.Map(plain, norm.NFKC.String(name))
	}
	if name == "." || name == ".." {
		return name
	}
	if i := strings.IndexByte(name, ':'); i > 0 {
		name = name[:i]
	}
	if short := strings.TrimRight(name, ". "); short != "" {
		name = short
	}
	if name == "git~1" {
		return ".git"
	}
	return name
}

// plain maps a character to the one that stands for all that look or count the
// same, or to -1 where it is invisible.
func plain(r rune) rune {
	if r < 0x80 {
		return unicode.ToLower(r)
	}
	if unicode.In(r, unicode.Cf, unicode.Mn, unicode.Me, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) {
		return -1
	}
	r = unicode.ToLower(r)
	if i := strings.IndexRune(lookAlikes, r); i >= 0 {
		return rune(lookAlikesTo[len([]rune(lookAlikes[:i]))])
	}
	return r
}

// lookAlikes are letters of other scripts (Cyrillic, Greek, Armenian, Latin
// extensions) and marks that are drawn like the ASCII character at the same
// place in lookAlikesTo.
const (
	lookAlikes   = "аеорсухіјѕһԁԛԝкмтвнґиαερονικυχγτηωıɡɑօսոցһ․·‐‑‒–—−"
	lookAlikesTo = "aeopcyxijshdqwkmtbhrnaepovikuxytnwigaounqh..------"
)

// foldPath folds every component of an absolute path.
func foldPath(p string) []string {
	comps := split(p)
	out := comps[:0]
	for _, c := range comps {
		out = append(out, fold(c))
	}
	return out
}
