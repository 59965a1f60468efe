package knowledge

import (
	"strings"

	"mayi/pkg/shell/value"
)

// effects looks through the tokens for what reaches out of the program:
// system, pipes, files that are read or written, the argument vector.
func (s *awkScanner) effects() bool {
	depth, printDepth := 0, -1 // printDepth: the depth of the print under way
	for i, t := range s.toks {
		switch {
		case t.kind == ';':
			if p := s.at(i - 1); p.kind != 'o' || !strings.Contains(", && ||", p.text) {
				printDepth = -1 // after these a line goes on
			}
		case t.kind == 'w':
			switch t.text {
			case "print", "printf":
				printDepth = depth
			case "system":
				s.system(i)
			case "ARGV", "ARGC", "SYMTAB", "FUNCTAB", "PROCINFO":
				return s.fail("it uses " + t.text)
			case "getline":
				s.getline(i)
			case "ENVIRON":
				s.access(ReadFile, value.Exact("/proc/self/environ"), -1, false, false)
			}
		case t.kind == 'o':
			switch t.text {
			case "(", "[", "{":
				depth++
			case ")", "]", "}":
				depth--
				if t.text == "}" || depth < printDepth {
					printDepth = -1
				}
			case ">", ">>":
				if printDepth == depth {
					s.output(i)
				}
			case "|", "|&":
				if !s.pipe(i) {
					return false
				}
			}
		}
	}
	return true
}

func (s *awkScanner) at(i int) awkToken {
	if i < 0 || i >= len(s.toks) {
		return awkToken{kind: ';', text: ";"}
	}
	return s.toks[i]
}

// literal is the string at i where nothing is joined to it before or behind.
func (s *awkScanner) literal(i int) (string, bool) {
	t := s.at(i)
	if t.kind != 's' || !t.plain {
		return "", false
	}
	return t.text, true
}

// ends: an expression is over at token i.
func (s *awkScanner) ends(i int) bool {
	t := s.at(i)
	return t.kind == ';' || t.kind == 'o' && (t.text == "}" || t.text == ")")
}

// begins: an expression begins after token i.
func (s *awkScanner) begins(i int) bool {
	t := s.at(i)
	return t.kind == ';' || t.kind == 'o' && strings.Contains("( { } ! && || = ,", t.text) ||
		t.kind == 'w' && (t.text == "do" || t.text == "else" || t.text == "return")
}

func (s *awkScanner) runs(text string, ok bool, via string) {
	if !ok {
		s.unread("awk runs a command that it makes: " + via)
		return
	}
	s.use.Runs = append(s.use.Runs, Run{Kind: RunScript, Script: value.Exact(text), Via: "awk " + via})
}

// system notes the command of system("…").
func (s *awkScanner) system(i int) {
	text, ok := s.literal(i + 2)
	closes := s.at(i + 3)
	s.runs(text, ok && s.at(i+1).text == "(" && closes.kind == 'o' && closes.text == ")", "system")
}

// pipe notes the command of  print | "…"  and  "…" | getline.
func (s *awkScanner) pipe(i int) bool {
	if s.at(i+1).kind == 'w' && s.at(i+1).text == "getline" {
		text, ok := s.literal(i - 1)
		s.runs(text, ok && s.begins(i-2), "getline")
		return s.special(text)
	}
	text, ok := s.literal(i + 1)
	s.runs(text, ok && s.ends(i+2), "print |")
	return s.special(text)
}

// special: the name is not one that awk itself turns into a connection.
func (s *awkScanner) special(name string) bool {
	if strings.HasPrefix(name, "/inet") {
		s.net(true, value.Unknown("awk opens "+name), -1)
	}
	return true
}

// output notes the file of  print > "…".
func (s *awkScanner) output(i int) {
	text, ok := s.literal(i + 1)
	s.special(text)
	if ok && s.ends(i+2) {
		s.access(WriteFile, value.Exact(text), -1, false, false)
		return
	}
	s.access(WriteFile, value.Unknown("awk makes the name"), -1, false, false)
}

// getline notes the file of  getline < "…"  with or without a variable.
func (s *awkScanner) getline(i int) {
	if p := s.at(i - 1); p.kind == 'o' && (p.text == "|" || p.text == "|&") {
		return
	}
	j := i + 1
	for j < len(s.toks) && !s.ends(j) && s.at(j).text != "<" {
		j++
	}
	if s.at(j).text != "<" {
		return
	}
	text, ok := s.literal(j + 1)
	s.special(text)
	if next := s.at(j + 2); ok && (s.ends(j+2) || next.kind == 'o' && strings.Contains("> < >= == != && ||", next.text)) {
		s.access(ReadFile, value.Exact(text), -1, false, false)
		return
	}
	s.access(ReadFile, value.Unknown("awk makes the name"), -1, false, false)
}
