package jsonedit

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

func position(text []byte, offset int) (line, col int) {
	offset = min(max(offset, 0), len(text))
	start := bytes.LastIndexByte(text[:offset], '\n') + 1
	return bytes.Count(text[:offset], []byte("\n")) + 1, utf8.RuneCount(text[start:offset]) + 1
}

func invalidAt(text []byte) int {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n <= 1 {
			return i
		}
		i += n
	}
	return -1
}

// parseError finds the position in the parser's error and takes its dressing
// off.
func parseError(err error, text []byte) (int, string) {
	said := err.Error()
	m := regexp.MustCompile(`^hujson: line (\d+), column (\d+): (.*)$`).FindStringSubmatch(said)
	if m == nil {
		return 0, strings.TrimPrefix(said, "hujson: ")
	}
	line, _ := strconv.Atoi(m[1])
	col, _ := strconv.Atoi(m[2])
	offset := 0
	for ; line > 1; line-- {
		n := bytes.IndexByte(text[offset:], '\n')
		if n < 0 {
			break
		}
		offset += n + 1
	}
	return offset + col - 1, m[3]
}

// tooDeep counts brackets outside of strings and comments.
func tooDeep(b []byte) (int, bool) {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			for i++; i < len(b) && b[i] != '"' && b[i] != '\n'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		case '/':
			i += commentLen(b[i:])
		case '{', '[':
			if depth++; depth > maxDepth {
				return i, true
			}
		case '}', ']':
			depth--
		}
	}
	return 0, false
}

// commentLen is the length of the comment that b begins with, without its last
// byte; 0 where it begins with none.
func commentLen(b []byte) int {
	switch {
	case bytes.HasPrefix(b, []byte("//")):
		if n := bytes.IndexByte(b, '\n'); n >= 0 {
			return n
		}
		return len(b) - 1
	case bytes.HasPrefix(b, []byte("/*")):
		if n := bytes.Index(b[2:], []byte("*/")); n >= 0 {
			return n + 3
		}
		return len(b) - 1
	}
	return 0
}
