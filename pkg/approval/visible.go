package approval

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible returns s in a form that shows a person everything that is in it.
//
// Control characters, terminal escapes, characters that reorder or hide text,
// blanks that are not the ASCII space, bytes that are no UTF-8, and characters
// that pass for ASCII ones (a Cyrillic "а" among Latin letters, a typographic
// quote, a full-width slash) are written out as ⟨U+202E⟩, a stray byte as
// ⟨0xFF⟩. Newlines stay newlines. Nothing is left out, and two different
// strings never look the same: the opening bracket itself is written out, too.
func Visible(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for len(s) > 0 {
		if n := wordLen(s); n > 0 {
			visibleWord(&b, s[:n])
			s = s[n:]
			continue
		}
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, "⟨0x%02X⟩", s[0])
		case shown(r):
			b.WriteRune(r)
		default:
			mark(&b, r)
		}
		s = s[n:]
	}
	return b.String()
}

// Line is [Visible] for a place that has room for one line: newlines are
// written out as well.
func Line(s string) string {
	return strings.ReplaceAll(Visible(s), "\n", "⟨U+000A⟩")
}

// Clip shows at most limit characters of s through [Visible] and says how many
// it left out: "… 1,204 more characters". A limit below 1 shows everything.
func Clip(s string, limit int) string {
	if limit < 1 || len(s) <= limit {
		return Visible(s)
	}
	end, n := 0, 0
	for end < len(s) && n < limit {
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
		n++
	}
	if end == len(s) {
		return Visible(s)
	}
	return Visible(s[:end]) + "… " + Thousands(utf8.RuneCountInString(s[end:])) + " more characters"
}

// Thousands writes n with a comma between each three digits.
func Thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plain reports whether s is printable ASCII and newlines only.
func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < ' ' && c != '\n') || c > '~' {
			return false
		}
	}
	return true
}

func mark(b *strings.Builder, r rune) { fmt.Fprintf(b, "⟨U+%04X⟩", r) }

// shown reports whether r, outside of a word, may be shown as it is.
func shown(r rune) bool {
	switch {
	case r == '\n' || r >= ' ' && r <= '~':
		return true
	case r <= unicode.MaxASCII, r == '⟨':
		return false
	case !unicode.IsGraphic(r), unicode.IsSpace(r), unicode.Is(unicode.Zs, r):
		return false
	case unicode.Is(unicode.M, r):
		// A mark that stands on no letter paints over whatever is before it.
		return false
	}
	return !invisible(r) && !passesForASCII(r)
}

// wordLen returns the length of the word that s begins with: letters with the
// marks on them, and digits. A word is judged as a whole, since a foreign
// letter is only a trap among letters that it is not at home with.
func wordLen(s string) int {
	i, letters := 0, false
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			return i
		case unicode.IsLetter(r):
			letters = true
		case unicode.IsDigit(r):
		case unicode.Is(unicode.M, r) && letters:
		default:
			return i
		}
		i += n
	}
	return i
}

// maxMarks is how many combining marks on one letter are shown as they are;
// real writing has up to two or three, and more of them cover the neighbours.
const maxMarks = 3

func visibleWord(b *strings.Builder, word string) {
	latin, only := false, true
	for _, r := range word {
		if r <= unicode.MaxASCII && unicode.IsLetter(r) {
			latin = true
		}
		if unicode.IsLetter(r) && !twin(r) {
			only = false
		}
	}
	marks, onASCII := 0, false
	for _, r := range word {
		if unicode.Is(unicode.M, r) {
			marks++
		} else {
			marks, onASCII = 0, r <= unicode.MaxASCII
		}
		switch {
		case invisible(r), passesForASCII(r), !unicode.IsGraphic(r):
			mark(b, r)
		case marks > maxMarks, marks > 0 && onASCII && overlay(r):
			mark(b, r)
		case twin(r) && (latin || only):
			mark(b, r)
		default:
			b.WriteRune(r)
		}
	}
}
