package knowledge

import (
	"strings"

	"mayi/pkg/shell/value"
)

// insertion skips the text of a, i and c: to the end of a line that does not
// end in a backslash.
func (s *sedScanner) insertion() bool {
	s.blanks(" \t")
	if s.peek() == '}' {
		return s.fail("text that may end a block")
	}
	for {
		line := s.line()
		s.pos++
		trailing := len(line) - len(strings.TrimRight(line, `\`))
		if trailing%2 == 0 || s.pos >= len(s.text) {
			return true
		}
	}
}

// file notes the file that r, R, w or W names: the rest of the line.
func (s *sedScanner) file(kind AccessKind) bool {
	s.blanks(" \t")
	name := strings.TrimSpace(s.line())
	if name == "" {
		return s.fail("a file without a name")
	}
	if name == "/dev/stdout" || name == "/dev/stderr" {
		return true
	}
	if name == "/dev/stdin" {
		s.stdin(StdinData)
		return true
	}
	s.access(kind, value.Exact(name), -1, false, false)
	if cutAt := strings.IndexAny(name, ";}"); cutAt > 0 {
		// Some versions end the name there.
		s.access(kind, value.Exact(strings.TrimSpace(name[:cutAt])), -1, false, true)
		return s.fail("commands after the name of a file")
	}
	return true
}

// execute notes the command of e: the rest of the line, or the pattern space.
func (s *sedScanner) execute() bool {
	s.blanks(" \t")
	text := s.line()
	if strings.TrimSpace(text) == "" || strings.HasPrefix(text, ";") || strings.HasPrefix(text, "}") {
		s.unread("sed runs the text that it edits as a command")
		return true
	}
	s.use.Runs = append(s.use.Runs, Run{Kind: RunScript, Script: value.Exact(text), Via: "sed e"})
	return true
}

// substitute reads s/…/…/flags.
func (s *sedScanner) substitute() bool {
	d := s.peek()
	if d == 0 || d == '\n' || d == '\\' || !s.regex(d, 2) {
		return s.fail("a substitution")
	}
	for {
		switch ch := s.peek(); {
		case ch == 'g' || ch == 'p' || ch == 'i' || ch == 'I' || ch == 'm' || ch == 'M' || ch >= '0' && ch <= '9':
			s.pos++
		case ch == 'e':
			s.pos++
			s.unread("sed runs the text that it edits as a command")
		case ch == 'w':
			s.pos++
			return s.file(WriteFile)
		default:
			return s.end('s')
		}
	}
}
