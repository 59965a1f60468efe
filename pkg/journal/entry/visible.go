package entry

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Visible replaces bytes that are no UTF-8 by \xNN, since JSON would replace
// them by something that nobody could tell apart.
func Visible(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, `\x%02X`, s[0])
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// clean makes s a text that every place gives back as it was written.
func clean(s string) string {
	if plain(s) {
		return s
	}
	return strings.ReplaceAll(Visible(s), "\x00", `\x00`)
}
