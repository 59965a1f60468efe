package config

import (
	"fmt"
	"strings"
)

// Problem is one thing that is wrong with the settings, and how to mend it.
type Problem struct {
	// File is the settings file, or "<session>" for the session's override.
	File string
	// Line and Col start at 1; 0 means the file as a whole. Col counts
	// characters.
	Line, Col int
	// Text says what is wrong, Hint (may be empty) how to mend it.
	Text, Hint string
}

// Error is the problem on one line.
func (p Problem) Error() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", p.Line, p.Col)
	}
	b.WriteString(": ")
	b.WriteString(p.Text)
	if p.Hint != "" {
		b.WriteString(" (")
		b.WriteString(p.Hint)
		b.WriteString(")")
	}
	return b.String()
}

// Problems is the error that [Load] returns.
type Problems []Problem

// Error lists the problems, one on each line.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// Notice is something that the person should know but that breaks nothing: what
// an untrusted project asked for in vain, a rule that can never matter.
type Notice struct {
	File      string
	Line, Col int
	Text      string
}

// String is the notice on one line.
func (n Notice) String() string {
	if n.Line == 0 {
		return n.File + ": " + n.Text
	}
	return fmt.Sprintf("%s:%d:%d: %s", n.File, n.Line, n.Col, n.Text)
}
