// Package explain draws why a call was decided as it was: the command, its
// parts, what each would do, the rule that speaks of it, the decision, and
// what would have to change.
package explain

import (
	"fmt"
	"io"
	"strings"

	"mayi/internal/ui"
	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

// Text draws v as a tree.
func Text(w io.Writer, v gate.Verdict, style ui.Style) error {
	p := &printer{w: w, v: v, style: style}
	p.line("", style.Bold(strings.ReplaceAll(approval.Visible(v.Text), "\n", "\n  ")))
	roots := p.children(-1)
	loose := p.effects(-1)
	for i, part := range roots {
		p.part(part, "", i == len(roots)-1 && len(loose) == 0)
	}
	for i, e := range loose {
		p.branch("", i == len(loose)-1, p.effect(e))
	}
	for _, u := range v.Call.Unread {
		p.line("  ", style.Yellow("not readable: "+approval.Line(u.Why)))
	}
	p.line("", "")
	p.line("", p.verdict())
	p.findings()
	p.change()
	return p.err
}

type printer struct {
	w     io.Writer
	v     gate.Verdict
	style ui.Style
	err   error
}

func (p *printer) line(indent, text string) {
	if p.err == nil {
		_, p.err = fmt.Fprintln(p.w, strings.TrimRight(indent+text, " "))
	}
}

func (p *printer) branch(indent string, last bool, text string) {
	twig := "├─ "
	if last {
		twig = "└─ "
	}
	p.line(indent+twig, text)
}

func below(indent string, last bool) string {
	if last {
		return indent + "   "
	}
	return indent + "│  "
}

func (p *printer) children(parent int) []int {
	var out []int
	for i, part := range p.v.Call.Parts {
		if part.Parent == parent {
			out = append(out, i)
		}
	}
	return out
}

func (p *printer) effects(part int) []permissions.Effect {
	var out []permissions.Effect
	for _, e := range p.v.Call.Effects {
		if e.Part == part && !(part >= 0 && e.Kind == permissions.Exec && e.Certainty == permissions.Exact && e.Path == "") {
			out = append(out, e)
		}
	}
	return out
}

func (p *printer) part(i int, indent string, last bool) {
	part := p.v.Call.Parts[i]
	head := p.style.Bold(Words(part.Words))
	if part.Via != "" {
		head = p.style.Dim(approval.Line(part.Via)+": ") + head
	}
	if note := p.note(i, part); note != "" {
		head += "  " + note
	}
	p.branch(indent, last, head)
	indent = below(indent, last)
	effects, inner := p.effects(i), p.children(i)
	rest := len(effects) + len(part.Unread) + len(inner)
	for _, e := range effects {
		rest--
		p.branch(indent, rest == 0, p.effect(e))
	}
	for _, u := range part.Unread {
		rest--
		p.branch(indent, rest == 0, p.style.Yellow("not readable: "+approval.Line(u.Why)))
	}
	for _, c := range inner {
		rest--
		p.part(c, indent, rest == 0)
	}
}

// note says what the decision found about a part.
func (p *printer) note(i int, part permissions.Part) string {
	var notes []string
	for _, r := range p.v.Reasons {
		if r.Part == i && r.Effect < 0 {
			text := r.Verdict.String()
			if r.Rule != nil {
				text += " by " + r.Rule.Text + where(r.Rule.Source)
			} else if r.Code != "" {
				text += ": " + finding(r.Code)
			}
			notes = append(notes, p.paint(r.Verdict, approval.Line(text)))
		}
	}
	if text := proof(p.v, i); text != "" {
		notes = append(notes, p.style.Dim(text))
	}
	switch {
	case len(notes) > 0:
	case part.Class == permissions.Free:
		notes = append(notes, p.style.Dim("needs no rule"))
	case part.Class == permissions.Wrapper:
		notes = append(notes, p.style.Dim("only runs what follows"))
	case part.Class == permissions.Function:
		notes = append(notes, p.style.Dim("a function of this command line"))
	case part.Opaque == permissions.OpaqueProgram:
		notes = append(notes, p.style.Dim("the program decides what happens"))
	}
	return strings.Join(notes, ", ")
}

// finding puts a reason's code into words.
func finding(code string) string {
	switch code {
	case "no-rule":
		return "no rule covers it"
	case "confined-rule":
		return "allowed only where it runs confined"
	case "unread":
		return "cannot be read"
	}
	return strings.ReplaceAll(code, "-", " ")
}

func (p *printer) paint(v permissions.Verdict, s string) string {
	switch v {
	case permissions.Allow:
		return p.style.Green(s)
	case permissions.Ask:
		return p.style.Yellow(s)
	}
	return p.style.Red(s)
}
