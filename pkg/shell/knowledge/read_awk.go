package knowledge

import (
	"strings"

	"mayi/pkg/shell/value"
)

// readAwk describes awk: the program text, then files and assignments.
func readAwk(c *call) {
	ops := c.operands
	c.operands = nil
	c.apply()
	if c.has("-f", "--file", "-E", "--exec") {
		c.awkFiles(ops)
		return
	}
	code, given := c.last("-e", "--source")
	if !given {
		if len(ops) == 0 {
			return
		}
		code.val, ops = ops[0].val, ops[1:]
	}
	c.each(func(s seen) { c.awkCode(s.val) }, "-e", "--source")
	if !given {
		c.awkCode(code.val)
	}
	c.awkFiles(ops)
}

func (c *call) awkCode(v value.Value) {
	text, ok := v.Text()
	s := awkScanner{call: c, text: text, why: "it is not known"}
	if len(text) > maxScript {
		s.why, ok = "it is too long", false
	}
	read := ok && s.scan()
	c.use.Inline = append(c.use.Inline, Inline{Language: "awk", Code: v, Read: read})
	if !read {
		c.unread("the awk program is not read: " + s.why)
	}
}

// awkFiles notes the files; NAME=VALUE among them is an assignment.
func (c *call) awkFiles(ops []operand) {
	inplace := false
	c.each(func(s seen) {
		t, ok := s.val.Text()
		inplace = inplace || ok && t == "inplace"
		// Even what comes with awk is looked for in the working directory first.
		c.unread("awk loads " + s.val.String() + ", from the working directory where it is there")
	}, "-i", "--include")
	files := 0
	for _, op := range ops {
		name, _, ok := strings.Cut(op.val.Prefix(), "=")
		if ok && isName(name) {
			continue
		}
		files++
		c.role(role{kind: roleRead}, op.val, op.arg, false)
		if inplace {
			c.access(WriteFile, op.val, op.arg, false, false)
		}
	}
	if files == 0 {
		c.stdin(StdinData)
	}
}

func isName(s string) bool {
	for i := range len(s) {
		if !inName(s[i]) {
			return false
		}
	}
	return s != "" && (s[0] < '0' || s[0] > '9')
}

// inName: the byte can stand in a name.
func inName(ch byte) bool {
	return ch == '_' || ch >= 'a' && ch <= 'z' || ch >= 'A' && ch <= 'Z' || ch >= '0' && ch <= '9'
}

// awkScanner splits a program into tokens and notes what reaches out of it.
type awkScanner struct {
	*call
	text string
	pos  int
	why  string
	toks []awkToken
}

// awkToken is a word, a string (its decoded text in text), an operator or a
// newline.
type awkToken struct {
	kind  byte // 'w' word, 'n' number, 's' string, 'r' regex, 'o' operator, ';' end of a statement
	text  string
	plain bool // a string without escapes that are not read
}

func (s *awkScanner) fail(why string) bool {
	s.why = why
	return false
}

func (s *awkScanner) scan() bool {
	for s.pos < len(s.text) {
		if !s.token() {
			return false
		}
	}
	return s.effects()
}

func (s *awkScanner) push(kind byte, text string, n int) bool {
	s.toks = append(s.toks, awkToken{kind: kind, text: text, plain: true})
	s.pos += n
	return true
}

func (s *awkScanner) token() bool {
	ch := s.text[s.pos]
	rest := s.text[s.pos:]
	switch {
	case ch == ' ' || ch == '\t' || ch == '\r':
		s.pos++
		return true
	case ch == '\n' || ch == ';':
		return s.push(';', ";", 1)
	case ch == '\\':
		if strings.HasPrefix(rest, "\\\n") {
			s.pos += 2
			return true
		}
		return s.fail("a backslash")
	case ch == '#':
		if k := strings.IndexByte(rest, '\n'); k >= 0 {
			s.pos += k
		} else {
			s.pos = len(s.text)
		}
		return true
	case ch == '"':
		return s.str()
	case ch == '/':
		switch s.slash() {
		case slashPattern:
			return s.regex()
		case slashUnclear:
			return s.fail("a slash that may divide or begin a pattern")
		}
		if strings.HasPrefix(rest, "/=") {
			return s.push('o', "/=", 2)
		}
		return s.push('o', "/", 1)
	case ch == '@':
		return s.fail("@include, @load or an indirect call")
	case ch >= '0' && ch <= '9' || ch == '.':
		n := 1
		for n < len(rest) && (rest[n] >= '0' && rest[n] <= '9' || rest[n] == '.') {
			n++
		}
		return s.push('n', rest[:n], n)
	case isName(rest[:1]):
		n := 1
		for n < len(rest) && inName(rest[n]) {
			n++
		}
		return s.push('w', rest[:n], n)
	case ch >= 0x80 || ch < ' ':
		return s.fail("a character that awk does not know")
	}
	for _, op := range []string{"|&", "||", "&&", ">>", ">=", "<=", "==", "!=", "++", "--", "+=", "-=", "*=", "%=", "^=", "**"} {
		if strings.HasPrefix(rest, op) {
			return s.push('o', op, len(op))
		}
	}
	return s.push('o', rest[:1], 1)
}

// What a slash is.
const (
	slashDivides = iota
	slashPattern
	slashUnclear
)

// slash says what a slash is at this place: a pattern begins where a value
// may begin.
func (s *awkScanner) slash() int {
	if len(s.toks) == 0 {
		return slashPattern
	}
	switch t := s.toks[len(s.toks)-1]; t.kind {
	case 'n', 's', 'r':
		return slashDivides
	case 'w':
		switch t.text {
		case "print", "printf", "return", "in", "case", "else", "do", "exit":
			return slashPattern
		case "length", "getline", "next", "nextfile", "break", "continue", "delete", "BEGIN", "END", "function", "func", "default":
			return slashUnclear
		}
		return slashDivides
	case 'o':
		switch t.text {
		case ")":
			if s.controls() {
				return slashPattern
			}
			return slashDivides
		case "]":
			return slashDivides
		case "$", "++", "--":
			return slashUnclear
		}
	}
	return slashPattern
}

// controls: the parenthesis that was closed last belongs to if, while, for or
// switch, so that a statement follows.
func (s *awkScanner) controls() bool {
	depth := 0
	for i := len(s.toks) - 1; i >= 0; i-- {
		t := s.toks[i]
		if t.kind != 'o' {
			continue
		}
		switch t.text {
		case ")":
			depth++
		case "(":
			if depth--; depth == 0 {
				before := s.at(i - 1)
				return before.kind == 'w' && (before.text == "if" || before.text == "while" || before.text == "for" || before.text == "switch")
			}
		}
	}
	return false
}

func (s *awkScanner) str() bool {
	var b strings.Builder
	plain := true
	for i := s.pos + 1; i < len(s.text); i++ {
		switch ch := s.text[i]; ch {
		case '"':
			s.toks = append(s.toks, awkToken{kind: 's', text: b.String(), plain: plain})
			s.pos = i + 1
			return true
		case '\n':
			return s.fail("a string over two lines")
		case '\\':
			i++
			if i == len(s.text) {
				return s.fail("a string without an end")
			}
			switch s.text[i] {
			case '"', '\\', '/':
				b.WriteByte(s.text[i])
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			default:
				plain = false
			}
		default:
			b.WriteByte(ch)
		}
	}
	return s.fail("a string without an end")
}

func (s *awkScanner) regex() bool {
	for i := s.pos + 1; i < len(s.text); i++ {
		switch s.text[i] {
		case '\\':
			i++
		case '\n':
			return s.fail("a pattern over two lines")
		case '[':
			if bracketHolds(s.text, i, '/') {
				return s.fail("a slash in a bracket expression")
			}
		case '/':
			return s.push('r', "", i+1-s.pos)
		}
	}
	return s.fail("a pattern without an end")
}
