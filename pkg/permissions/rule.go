package permissions

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// RuleError says what is wrong with a rule's text, where, and how to mend it.
type RuleError struct {
	// Rule is the text as written, Source where it stands.
	Rule   string
	Source Source
	// Offset is the byte in Rule at which the problem was found.
	Offset int
	// Problem and Hint are for people; Hint may be empty.
	Problem, Hint string
}

// Error returns one line with place, rule, problem and hint.
func (e *RuleError) Error() string {
	var b strings.Builder
	if at := e.Source.String(); at != "" {
		b.WriteString(at + ": ")
	}
	fmt.Fprintf(&b, "rule %q: %s", e.Rule, e.Problem)
	if e.Offset > 0 {
		fmt.Fprintf(&b, " (at character %d)", e.Offset+1)
	}
	if e.Hint != "" {
		b.WriteString("; " + e.Hint)
	}
	return b.String()
}

// String returns "file:line:col", as much of it as is known.
func (s Source) String() string {
	switch {
	case s.File == "":
		return s.Layer
	case s.Line == 0:
		return s.File
	case s.Col == 0:
		return fmt.Sprintf("%s:%d", s.File, s.Line)
	}
	return fmt.Sprintf("%s:%d:%d", s.File, s.Line, s.Col)
}

// ParseRule reads one entry of permissions.allow, .ask or .deny; the package
// comment has the grammar. A text that cannot be read gives a [*RuleError],
// never a rule that matches less than was meant.
func ParseRule(action Action, text string, src Source) (Rule, error) {
	r := Rule{Action: action, Text: text, Source: src}
	if err := parseInto(&r, text); err != nil {
		err.Rule, err.Source = text, src
		return Rule{}, err
	}
	return r, nil
}

func parseInto(r *Rule, text string) *RuleError {
	if !utf8.ValidString(text) {
		return &RuleError{Problem: "it is not valid UTF-8"}
	}
	if i := strings.IndexByte(text, 0); i >= 0 {
		return &RuleError{Offset: i, Problem: "it holds a NUL byte"}
	}
	lead := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	rest := strings.Trim(text, " \t\r\n")
	if rest == "" {
		return &RuleError{Problem: "it is empty", Hint: `write it like "command(git status)"`}
	}
	open := strings.IndexByte(rest, '(')
	word := rest
	if open >= 0 {
		word = rest[:open]
	}
	kind, ok := ruleKind(word)
	if !ok {
		return &RuleError{Offset: lead, Problem: fmt.Sprintf("%q is no kind of rule", word), Hint: kindHint(word, open < 0)}
	}
	if open < 0 {
		return &RuleError{Offset: lead + len(word), Problem: "the parenthesis is missing", Hint: fmt.Sprintf("write it like %q", examples[kind])}
	}
	if !strings.HasSuffix(rest, ")") {
		return &RuleError{Offset: lead + len(rest), Problem: "the closing parenthesis is missing"}
	}
	r.Kind = kind
	at := lead + open + 1
	body := rest[open+1 : len(rest)-1]
	if strings.Trim(body, " \t\r\n") == "" {
		return &RuleError{Offset: at, Problem: "nothing stands between the parentheses", Hint: fmt.Sprintf("write it like %q", examples[kind])}
	}
	return parseBody(r, body, at)
}

func parseBody(r *Rule, body string, at int) *RuleError {
	if r.Kind == CommandRule {
		words, err := splitWords(body, at)
		if err != nil {
			return err.(*RuleError)
		}
		if words[0] == "" {
			return &RuleError{Offset: at, Problem: "the command's name is empty"}
		}
		r.Words = words
		return nil
	}
	if bad := balance(body); bad >= 0 {
		return unbalanced(at + bad)
	}
	body = strings.Trim(body, " \t\r\n")
	switch r.Kind {
	case ReadRule, WriteRule:
		if err := checkGlob(body); err != nil {
			return &RuleError{Offset: at, Problem: err.Error()}
		}
		r.Glob = body
	case FetchRule:
		host, err := ruleHost(body)
		if err != nil {
			return &RuleError{Offset: at, Problem: err.Error(), Hint: "write a host name without scheme, port and path"}
		}
		r.Glob = host
	case MCPRule:
		server, name, ok := strings.Cut(body, ".")
		if !ok || server == "" || name == "" {
			return &RuleError{Offset: at, Problem: "server and tool are divided by a dot", Hint: `write "mcp(server.tool)" or "mcp(server.*)"`}
		}
		if err := checkName(server, name); err != nil {
			return &RuleError{Offset: at, Problem: err.Error()}
		}
		r.Server, r.Name = server, name
	case ToolRule:
		if err := checkName(body); err != nil {
			return &RuleError{Offset: at, Problem: err.Error()}
		}
		r.Glob = body
	}
	return nil
}

// checkName refuses names that look like patterns but would not act like them.
func checkName(names ...string) error {
	for _, n := range names {
		if n != "*" && strings.ContainsAny(n, "* \t\r\n()") {
			return fmt.Errorf("%q is no name: * stands for a whole name only, and blanks have no place in it", n)
		}
	}
	return nil
}

func balance(body string) int {
	depth := 0
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth < 0 {
				return i
			}
		}
	}
	if depth != 0 {
		return len(body)
	}
	return -1
}

func ruleKind(word string) (RuleKind, bool) {
	for i, name := range ruleKindNames {
		if name == word {
			return RuleKind(i), true
		}
	}
	return 0, false
}

// String returns the rule's text, which [ParseRule] reads back as the same
// rule.
func (r Rule) String() string {
	if r.Text != "" {
		return r.Text
	}
	return r.format()
}

func (r Rule) format() string { return r.Kind.String() + "(" + body(&r) + ")" }

// body is what stands between a rule's parentheses.
func body(r *Rule) string {
	switch r.Kind {
	case CommandRule:
		return joinWords(r.Words)
	case MCPRule:
		return r.Server + "." + r.Name
	}
	return r.Glob
}
