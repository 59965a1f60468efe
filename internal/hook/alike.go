package hook

import (
	"fmt"
	"unicode"
)

// alike refuses a call whose input has a key that some readers take for one that
// the call is decided by: those of agents in Go take any letter case, and ſ and
// K for s and k, and of two such keys the last. keys are the tool's own ones
// besides the reserved.
func (c *call) alike(raw map[string]any, keys ...string) {
	if c.wrong != "" {
		return
	}
	keys = append(keys, reservedKeys()...)
	for k := range raw {
		if has(keys, k) {
			continue
		}
		for _, known := range keys {
			if sameName(k, known) {
				c.wrong = fmt.Sprintf("the call's key %q can be read as %q, and not every reader does", k, known)
				return
			}
		}
	}
}

// sameName reports whether two keys are the same but for letter case and what
// joins their words.
func sameName(a, b string) bool {
	i, j := 0, 0
	x, y := []rune(a), []rune(b)
	for {
		for i < len(x) && joins(x[i]) {
			i++
		}
		for j < len(y) && joins(y[j]) {
			j++
		}
		if i == len(x) || j == len(y) {
			return i == len(x) && j == len(y)
		}
		if !sameLetter(x[i], y[j]) {
			return false
		}
		i++
		j++
	}
}

func joins(r rune) bool { return r == '_' || r == '-' }

// sameLetter reports whether b is in a's circle of letters that differ in case.
func sameLetter(a, b rune) bool {
	if a == b {
		return true
	}
	for r := unicode.SimpleFold(a); r != a; r = unicode.SimpleFold(r) {
		if r == b {
			return true
		}
	}
	return false
}
