package knowledge

import (
	"strings"

	"mayi/pkg/shell/value"
)

// readSed describes sed: scripts that can read, write and run, and files that
// -i changes in place.
func readSed(c *call) {
	ops := c.operands
	c.operands = nil
	c.apply()
	var script []string
	var at []int // where the script's words stand
	given, known := false, true
	c.each(func(s seen) {
		given = true
		t, ok := s.val.Text()
		known = known && ok
		script, at = append(script, t), append(at, s.arg)
	}, "-e", "--expression")
	given = given || c.has("-f", "--file")
	if !given && len(ops) > 0 {
		t, ok := ops[0].val.Text()
		known, script, at, ops = ok, append(script, t), append(at, ops[0].arg), ops[1:]
	}
	if len(script) > 0 {
		text := strings.Join(script, "\n")
		s := sedScanner{call: c, text: text}
		if !known {
			s.why = "it is not known"
		} else if len(text) > maxScript {
			s.why, known = "it is too long", false
		}
		before := len(c.use.Accesses)
		read := known && s.scan()
		if writesFile(c.use.Accesses[before:]) {
			c.use.ByName = append(c.use.ByName, at...)
		}
		c.use.Inline = append(c.use.Inline, Inline{Language: "sed", Code: value.Exact(text), Read: read})
		if !read {
			c.unread("the sed script is not read: " + s.why)
		}
	}
	inplace, on := c.last("-i", "--in-place", "-I")
	for _, op := range ops {
		if !on {
			c.role(role{kind: roleRead}, op.val, op.arg, false)
			continue
		}
		c.access(ReadFile, op.val, op.arg, false, false)
		c.access(WriteFile, op.val, op.arg, false, false)
		if !inplace.has {
			continue
		}
		if t, ok := inplace.val.Text(); ok && !strings.ContainsAny(t, "*/") {
			if t != "" {
				c.access(WriteFile, value.Concat(op.val, inplace.val), op.arg, false, true)
			}
			continue
		}
		c.unread("the name of sed's backup is not read: " + inplace.val.String())
	}
	if len(ops) == 0 {
		c.stdin(StdinData)
	}
}

// writesFile reports whether one of the accesses writes.
func writesFile(list []Access) bool {
	for _, a := range list {
		if a.Kind == WriteFile {
			return true
		}
	}
	return false
}

// sedScanner walks a script and notes what its commands do.
type sedScanner struct {
	*call
	text string
	pos  int
	why  string
}

func (s *sedScanner) fail(why string) bool {
	s.why = why
	return false
}

func (s *sedScanner) peek() byte {
	if s.pos < len(s.text) {
		return s.text[s.pos]
	}
	return 0
}

func (s *sedScanner) blanks(set string) {
	for s.pos < len(s.text) && strings.IndexByte(set, s.text[s.pos]) >= 0 {
		s.pos++
	}
}

// scan reads the whole script; false where something is not understood.
func (s *sedScanner) scan() bool {
	for {
		s.blanks(" \t\n;}")
		if s.pos >= len(s.text) {
			return true
		}
		if !s.addresses() || !s.command() {
			return false
		}
	}
}

// addresses skips an address or two and the negation.
func (s *sedScanner) addresses() bool {
	for {
		switch ch := s.peek(); {
		case ch == '/':
			if !s.regex('/', 1) {
				return false
			}
		case ch == '\\':
			s.pos++
			d := s.peek()
			if d == 0 || d == '\n' || d == '\\' || !s.regex(d, 1) {
				return s.fail("an address")
			}
		case ch >= '0' && ch <= '9' || ch == '$':
			s.pos++
		case ch == ',' || ch == '~' || ch == '+' || ch == '!' || ch == ' ' || ch == '\t':
			s.pos++
		case ch == 'I' || ch == 'M':
			s.pos++ // flags of an address; no command has these names
		default:
			return true
		}
	}
}

// regex skips n delimited parts that begin at the delimiter d.
func (s *sedScanner) regex(d byte, n int) bool {
	s.pos++
	for ; s.pos < len(s.text); s.pos++ {
		switch ch := s.text[s.pos]; {
		case ch == '\\':
			s.pos++
		case ch == d:
			if n--; n == 0 {
				s.pos++
				return true
			}
		case ch == '[' && bracketHolds(s.text, s.pos, d):
			return s.fail("the delimiter stands in a bracket expression")
		}
	}
	return s.fail("a pattern without an end")
}

func (s *sedScanner) command() bool {
	ch := s.peek()
	s.pos++
	switch ch {
	case 0:
		return true
	case '{', '}', '=', 'd', 'D', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'F', 'z', 'l', 'L', 'q', 'Q':
		s.blanks(" \t")
		if strings.IndexByte("lLqQ", ch) >= 0 {
			s.blanks("0123456789")
		}
		return s.end(ch)
	case '#':
		s.line()
		return true
	case ':', 'b', 't', 'T', 'v':
		// A label ends at a newline; where it also ends at a blank, ';' or '}'
		// depends on the version, and reading on there sees no less.
		s.blanks(" \t")
		for s.pos < len(s.text) && strings.IndexByte(" \t\n;}", s.text[s.pos]) < 0 {
			s.pos++
		}
		return true
	case 'a', 'i', 'c':
		return s.insertion()
	case 'r', 'R':
		return s.file(ReadFile)
	case 'w', 'W':
		return s.file(WriteFile)
	case 'e':
		return s.execute()
	case 's':
		return s.substitute()
	case 'y':
		d := s.peek()
		return d != 0 && d != '\n' && d != '\\' && s.regex(d, 2) && s.end('y')
	}
	return s.fail("unknown command " + string(ch))
}

// end: a command is followed by nothing that belongs to it.
func (s *sedScanner) end(ch byte) bool {
	s.blanks(" \t")
	if c := s.peek(); ch != '{' && ch != '}' && c != 0 && strings.IndexByte(";\n}#", c) < 0 {
		return s.fail("text after the command " + string(ch))
	}
	return true
}

// line returns the rest of the line.
func (s *sedScanner) line() string {
	start := s.pos
	for s.pos < len(s.text) && s.text[s.pos] != '\n' {
		s.pos++
	}
	return s.text[start:s.pos]
}
