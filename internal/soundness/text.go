package soundness

import "strings"

// arguments splits the inside of "name(…) = result" at the commas that stand
// outside of strings, brackets and descriptor names. rest is what follows the
// closing parenthesis.
func arguments(text string) (args []string, rest string) {
	depth, from := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = endOfString(text, i)
		case '/':
			if strings.HasPrefix(text[i:], "/*") {
				if end := strings.Index(text[i:], "*/"); end > 0 {
					i += end + 1
				}
			}
		case '<':
			if end := strings.IndexByte(text[i:], '>'); end > 0 {
				i += end
			}
		case '(', '[', '{':
			depth++
		case ',':
			if depth == 0 {
				args = append(args, strings.TrimSpace(text[from:i]))
				from = i + 1
			}
		case ')', ']', '}':
			if depth == 0 {
				return append(args, strings.TrimSpace(text[from:i])), text[i+1:]
			}
			depth--
		}
	}
	return append(args, strings.TrimSpace(text[from:])), ""
}

// endOfString is the index of the quote that ends the string which begins at i.
func endOfString(text string, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(text)
}

// quoted is the text of an argument that is a string.
func quoted(arg string) (string, bool) {
	if !strings.HasPrefix(arg, `"`) {
		return "", false
	}
	end := endOfString(arg, 0)
	if end >= len(arg) {
		return "", false
	}
	return unescape(arg[1:end]), true
}

// named is the path that strace -y writes behind a descriptor: 3</a/b>.
func named(arg string) string {
	from, to := strings.IndexByte(arg, '<'), strings.LastIndexByte(arg, '>')
	if from < 0 || to < from {
		return ""
	}
	// A folder or file that has been removed keeps its name.
	return strings.TrimSuffix(unescape(arg[from+1:to]), " (deleted)")
}

// unescape undoes strace's C escapes.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if k := strings.IndexByte("abfnrtv", s[i]); k >= 0 {
			b.WriteByte("\a\b\f\n\r\t\v"[k])
			continue
		}
		if s[i] < '0' || s[i] > '7' {
			b.WriteByte(s[i])
			continue
		}
		n := 0
		for k := 0; k < 3 && i < len(s) && s[i] >= '0' && s[i] <= '7'; k++ {
			n, i = n*8+int(s[i]-'0'), i+1
		}
		i--
		b.WriteByte(byte(n))
	}
	return b.String()
}
