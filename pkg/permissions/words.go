package permissions

import (
	"fmt"
	"strings"
)

// splitWords reads the words of a command rule: blanks divide them, quotes and
// backslashes keep text together as in a shell, and nothing is expanded. at is
// the offset of body in the rule, for error positions.
func splitWords(body string, at int) ([]string, error) {
	var words []string
	var word strings.Builder
	in, quoted, depth := false, false, 0
	end := func(i int) error {
		if !in {
			return nil
		}
		if quoted && word.String() == "*" {
			return &RuleError{Offset: at + i, Problem: "a quoted * cannot be matched literally", Hint: "write it without quotes: * stands for any one word"}
		}
		if !quoted && strings.HasSuffix(word.String(), ":*") {
			return &RuleError{Offset: at + i, Problem: `":*" means nothing here`, Hint: "leave it out: a command rule covers whatever begins with its words"}
		}
		words = append(words, word.String())
		word.Reset()
		in, quoted = false, false
		return nil
	}
	for i := 0; i < len(body); i++ {
		c := body[i]
		switch c {
		case ' ', '\t', '\n', '\r':
			if err := end(i); err != nil {
				return nil, err
			}
			continue
		case '\'', '"':
			n, err := quotedText(body[i:], &word)
			if err != nil {
				err.Offset += at + i
				return nil, err
			}
			i += n
			quoted = true
		case '\\':
			if i+1 == len(body) {
				return nil, &RuleError{Offset: at + i, Problem: "nothing follows the backslash"}
			}
			i++
			word.WriteByte(body[i])
			quoted = true
		case '(', ')':
			if c == '(' {
				depth++
			} else {
				depth--
			}
			if depth < 0 {
				return nil, unbalanced(at + i)
			}
			word.WriteByte(c)
		default:
			word.WriteByte(c)
		}
		in = true
	}
	if depth != 0 {
		return nil, unbalanced(at + len(body))
	}
	if err := end(len(body)); err != nil {
		return nil, err
	}
	return words, nil
}

func unbalanced(at int) *RuleError {
	return &RuleError{Offset: at, Problem: "the parentheses do not match", Hint: "quote a parenthesis that belongs to a word"}
}

// quotedText reads one quoted stretch at the beginning of s into out and
// returns the index of the closing quote.
func quotedText(s string, out *strings.Builder) (int, *RuleError) {
	quote := s[0]
	for i := 1; i < len(s); i++ {
		c := s[i]
		if c == quote {
			return i, nil
		}
		if c == '\\' && quote == '"' && i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\\') {
			i++
			c = s[i]
		}
		out.WriteByte(c)
	}
	return 0, &RuleError{Problem: fmt.Sprintf("the quote %c is not closed", quote)}
}

// joinWords is the inverse of splitWords.
func joinWords(words []string) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		if w != "" && !strings.ContainsAny(w, " \t\n\r'\"\\()") && !strings.HasSuffix(w, ":*") {
			b.WriteString(w)
			continue
		}
		b.WriteByte('\'')
		b.WriteString(strings.ReplaceAll(w, "'", `'\''`))
		b.WriteByte('\'')
	}
	return b.String()
}
