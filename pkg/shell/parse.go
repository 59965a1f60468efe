package shell

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"mayi/pkg/permissions"

	"mvdan.cc/sh/v3/syntax"
)

// Bounds on what is read at all.
const (
	// maxSource is the longest command text, in bytes. It leaves room for
	// files that are written with a here-document.
	maxSource = 256 << 10
	// maxNesting is how deep brackets and compound commands may nest; the
	// parser recurses, so it is checked before parsing.
	maxNesting = 150
)

// parse reads src. It returns the statements before the first error as well,
// since a shell runs those before it notices.
func (a *Analyzer) parse(src string) ([]*syntax.Stmt, []permissions.Unread) {
	whole := permissions.Span{End: len(src)}
	if len(src) > maxSource {
		return nil, []permissions.Unread{{Why: fmt.Sprintf("the command is longer than %d KiB", maxSource>>10), Span: whole}}
	}
	if i := strings.IndexByte(src, 0); i >= 0 {
		return nil, []permissions.Unread{{Why: "the command holds a NUL byte", Span: permissions.Span{Start: i, End: i + 1}}}
	}
	if !utf8.ValidString(src) {
		return nil, []permissions.Unread{{Why: "the command is not valid UTF-8", Span: whole}}
	}
	if at, deep := nestsTooDeep(src); deep {
		return nil, []permissions.Unread{{Why: "the command nests too deeply", Span: permissions.Span{Start: at, End: len(src)}}}
	}
	var unread []permissions.Unread
	if i := strings.IndexByte(src, '\r'); i >= 0 {
		// A shell takes it for a letter, the parser for part of a line's end.
		unread = append(unread, permissions.Unread{Why: "the command holds a carriage return", Span: permissions.Span{Start: i, End: i + 1}})
	}
	if i := splitToken(src); i >= 0 {
		unread = append(unread, permissions.Unread{Why: "a line continuation stands inside an operator", Span: permissions.Span{Start: i, End: i + 2}})
	}
	stmts, err := a.statements(src)
	if fixed, changed := fixDelimiters(src, stmts); changed {
		stmts, err = a.statements(fixed)
	}
	if err != nil {
		unread = append(unread, parseUnread(err, src))
	}
	return stmts, unread
}

// statements parses as far as there is no error.
func (a *Analyzer) statements(src string) (stmts []*syntax.Stmt, err error) {
	p := a.parsers.Get().(*syntax.Parser)
	defer a.parsers.Put(p)
	// The loop is not left early: after an error in a here-document the parser
	// goes on once more, which a loop that has ended does not bear.
	for s, e := range p.StmtsSeq(strings.NewReader(src)) {
		switch {
		case err != nil:
		case e != nil:
			err = e
		default:
			stmts = append(stmts, s)
		}
	}
	return stmts, err
}

// splitToken finds a line continuation in the middle of an operator, such as
// $\⏎(…): the shell joins it, the parser does not.
func splitToken(src string) int {
	for i := 1; i+2 < len(src); i++ {
		if src[i] != '\\' {
			continue
		}
		if src[i+1] != '\n' {
			i++ // whatever it quotes
			continue
		}
		n := i + 2
		for strings.HasPrefix(src[n:], "\\\n") {
			n += 2
		}
		if n >= len(src) {
			return -1
		}
		before, after := src[i-1], src[n]
		switch {
		case before == '$' && after > ' ',
			strings.IndexByte("<>&|;", before) >= 0 && strings.IndexByte("<>&|;(!-", after) >= 0,
			before == '(' && after == '(', before == ')' && after == ')', before == '[' && after == '[',
			before == ']' && after == ']', strings.IndexByte("?*+@!", before) >= 0 && after == '(':
			return i
		}
	}
	return -1
}

func parseUnread(err error, src string) permissions.Unread {
	u := permissions.Unread{Why: "the command does not parse: " + err.Error(), Span: permissions.Span{End: len(src)}}
	if pe, ok := err.(syntax.ParseError); ok {
		u.Why = "the command does not parse: " + pe.Text
		u.Span.Start = min(int(pe.Pos.Offset()), len(src))
	}
	return u
}

// parseArithm reads src as an arithmetic expression.
func (a *Analyzer) parseArithm(src string) (syntax.ArithmExpr, error) {
	if _, deep := nestsTooDeep(src); deep || len(src) > maxSource {
		return nil, fmt.Errorf("too large")
	}
	p := a.parsers.Get().(*syntax.Parser)
	defer a.parsers.Put(p)
	return p.Arithmetic(strings.NewReader(src))
}

// parseDocument reads src as the inside of double quotes, as a prompt string
// or an array's subscript is.
func (a *Analyzer) parseDocument(src string) (*syntax.Word, error) {
	// The parser treats its input as a here-document with this delimiter.
	if _, deep := nestsTooDeep(src); deep || len(src) > maxSource || strings.Contains(src, "MVDAN_CC_SH_SYNTAX_EOF") {
		return nil, fmt.Errorf("too large")
	}
	p := a.parsers.Get().(*syntax.Parser)
	defer a.parsers.Put(p)
	return p.Document(strings.NewReader(src))
}

// nestsTooDeep counts brackets and the words that open and close compound
// commands, without regard to quotes, and reports where the count passes the
// bound. It errs on the side of refusing.
func nestsTooDeep(src string) (at int, deep bool) {
	depth, words := 0, 0
	for i := 0; i < len(src); i++ {
		switch c := src[i]; {
		case c == '(' || c == '{' || c == '[':
			depth++
		case c == ')' || c == '}' || c == ']':
			depth = max(0, depth-1)
		case c == '!' || c == '-' || c == '~' || c == '+':
			// Chains of prefix operators nest without brackets.
			n := i
			for n < len(src) && (src[n] == c || src[n] == ' ') {
				n++
			}
			if n-i > 8*maxNesting {
				return i, true
			}
			i = max(i, n-1)
		case c >= 'a' && c <= 'z':
			n := i + 1
			for n < len(src) && src[n] >= 'a' && src[n] <= 'z' {
				n++
			}
			switch src[i:n] {
			case "if", "while", "until", "for", "case", "select", "time", "coproc", "function":
				words++
			case "fi", "done", "esac":
				words = max(0, words-1)
			}
			i = n - 1
		case c == '\n' || c == ';':
			if depth == 0 && words < maxNesting/2 {
				continue
			}
		}
		if depth > maxNesting || words > 8*maxNesting {
			return i, true
		}
	}
	return 0, false
}
