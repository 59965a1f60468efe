package soundness

import (
	"fmt"
	"strings"

	"mayi/pkg/permissions"
)

// miss words an access that was not predicted.
func (p *prediction) miss(a *access, t *Tree) Miss {
	m := Miss{Program: "shell"}
	if by := a.by(); by != "" {
		m.Program = by
	}
	m.Access = fmt.Sprintf("%s %s (%s", a.kind, t.short(a.path), a.call)
	if a.err != "" {
		m.Access += " " + a.err
	}
	m.Access += ")"
	if a.real != "" {
		m.Access += " = " + t.short(a.real)
	}
	return m
}

// short writes the tree's root as T, so that the words do not change from run
// to run.
func (t *Tree) short(name string) string {
	return strings.ReplaceAll(name, t.Root, "T")
}

// lines writes the prediction, one line for each part and effect.
func (p *prediction) lines(t *Tree) []string {
	var out []string
	for i := range p.parts {
		part := &p.parts[i]
		var words []string
		for _, w := range part.Words {
			words = append(words, w.Text)
		}
		line := fmt.Sprintf("part %d: %s", i, t.short(strings.Join(words, " ")))
		if why := admits(part); why != "" {
			line += " (" + why + ")"
		}
		out = append(out, line)
	}
	for _, u := range p.unread {
		out = append(out, "unread: "+u.Why)
	}
	for i := range p.effects {
		out = append(out, t.effect(&p.effects[i]))
	}
	return out
}

func (t *Tree) effect(e *permissions.Effect) string {
	target := e.Path
	for _, s := range [...]string{e.Host, e.Program} {
		if target == "" {
			target = s
		}
	}
	if target == "" {
		target = "?"
	}
	line := fmt.Sprintf("%s %s", e.Kind, t.short(target))
	for _, m := range [...]struct {
		is   bool
		text string
	}{{e.Recursive, "recursive"}, {e.Glob, "glob"}, {e.Certainty == permissions.Unknown, "unknown"}, {e.LinkTo != "", "-> " + e.LinkTo}} {
		if m.is {
			line += " " + m.text
		}
	}
	return fmt.Sprintf("%s @%d", line, e.Part)
}
