package knowledge

import "strings"

// bracketEnd returns the index of the bracket that closes the bracket
// expression which begins at text[i], -1 where there is none on the line.
func bracketEnd(text string, i int) int {
	j := i + 1
	if j < len(text) && (text[j] == '^' || text[j] == '!') {
		j++
	}
	if j < len(text) && text[j] == ']' {
		j++
	}
	for ; j < len(text); j++ {
		switch {
		case text[j] == '\n':
			return -1
		case text[j] == ']':
			return j
		case text[j] == '[' && j+1 < len(text) && strings.IndexByte(":.=", text[j+1]) >= 0:
			end := strings.Index(text[j+2:], text[j+1:j+2]+"]")
			if end < 0 {
				return -1
			}
			j += 2 + end + 1
		}
	}
	return -1
}

// bracketHolds: the bracket expression that begins at text[i] holds the
// delimiter without a backslash before it. Programs differ about what it
// means there.
func bracketHolds(text string, i int, delimiter byte) bool {
	end := bracketEnd(text, i)
	for j := i + 1; j < end; j++ {
		if text[j] == delimiter && text[j-1] != '\\' {
			return true
		}
	}
	return false
}
