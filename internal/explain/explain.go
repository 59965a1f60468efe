// Package explain draws why a call was decided as it was: the command, its
// parts, what each would do, the rule that speaks of it, the decision, and
// what would have to change.
package explain

import (
	"fmt"
	"io"
	"strings"

	"mayi/internal/ui"
	"mayi/internal/wire"
	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

// Text draws v as a tree.
func Text(w io.Writer, v gate.Verdict, style ui.Style) error {
	p := &printer{w: w, v: v, style: style}
	p.line("", style.Bold(approval.Visible(v.Text)))
	roots := p.children(-1)
	loose := p.effects(-1)
	for i, part := range roots {
		p.part(part, "", i == len(roots)-1 && len(loose) == 0)
	}
	for i, e := range loose {
		p.branch("", i == len(loose)-1, p.effect(e))
	}
	for _, u := range v.Call.Unread {
		p.line("  ", style.Yellow("not readable: "+approval.Visible(u.Why)))
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
		head = p.style.Dim(approval.Visible(part.Via)+": ") + head
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
		p.branch(indent, rest == 0, p.style.Yellow("not readable: "+approval.Visible(u.Why)))
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
				text += " (" + r.Code + ")"
			}
			notes = append(notes, p.paint(r.Verdict, approval.Visible(text)))
		}
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

func (p *printer) paint(v permissions.Verdict, s string) string {
	switch v {
	case permissions.Allow:
		return p.style.Green(s)
	case permissions.Ask:
		return p.style.Yellow(s)
	}
	return p.style.Red(s)
}

func (p *printer) effect(e permissions.Effect) string {
	w := wire.FromEffect(e)
	text := verb(e)
	switch {
	case w.Path != "":
		text += " " + approval.Visible(w.Path)
		if e.Recursive {
			text += " and all below"
		}
		if e.LinkTo != "" {
			text += " → " + approval.Visible(e.LinkTo)
		}
		text += p.style.Dim(" (" + w.Place + ")")
	case w.Host != "":
		text += " " + approval.Visible(w.Host)
	case w.Program != "":
		text += " " + approval.Visible(w.Program)
	default:
		text += " " + p.style.Dim("(not known which)")
	}
	if e.Certainty != permissions.Exact {
		text += p.style.Dim(" " + e.Certainty.String())
	}
	if e.Place.Protected != "" {
		text += p.style.Yellow(" protected")
	}
	if e.Why != "" {
		text += p.style.Dim(": " + approval.Visible(e.Why))
	}
	return text
}

func verb(e permissions.Effect) string {
	switch e.Kind {
	case permissions.Read:
		return "reads"
	case permissions.FSWrite:
		if e.LinkTo != "" {
			return "links"
		}
		return "writes"
	case permissions.Exec:
		return "runs"
	case permissions.NetRead:
		return "fetches from"
	case permissions.NetWrite:
		return "sends to"
	case permissions.StateWrite:
		return "changes state"
	}
	return "may do anything"
}

func (p *printer) verdict() string {
	text := p.style.Bold(p.style.Verdict(p.v.Verdict)) + ": " + approval.Visible(p.v.Reason)
	if p.v.Verdict != permissions.Allow && p.v.Risk != "" {
		text += p.style.Dim(" (risk: " + string(p.v.Risk) + ")")
	}
	return text
}

func (p *printer) findings() {
	for _, r := range p.v.Reasons {
		text := approval.Visible(r.Text)
		if r.Rule != nil {
			text += p.style.Dim(where(r.Rule.Source))
		}
		if r.Text != p.v.Reason || r.Rule != nil {
			p.line("  ", p.paint(r.Verdict, r.Verdict.String())+" "+text)
		}
	}
	for _, o := range p.v.Obligations {
		p.line("  ", p.style.Dim("on condition: "+o))
	}
}

// change says what would have to change for the call to be allowed.
func (p *printer) change() {
	if p.v.Verdict == permissions.Allow {
		return
	}
	if len(p.v.Needs) > 0 {
		p.line("", "")
		p.line("", "A person would have to grant:")
		for _, n := range p.v.Needs {
			p.line("  ", Need(n))
		}
	}
	if len(p.v.Suggestions) > 0 {
		p.line("", "")
		p.line("", "Rules under permissions.allow that would allow it from now on, narrowest first:")
		for _, s := range p.v.Suggestions {
			p.line("  ", approval.Visible(s.Text))
		}
	}
}

// Need puts one need into words.
func Need(n permissions.Need) string {
	switch {
	case n.Path != "" && n.What == "protected":
		return "writing the protected " + approval.Visible(n.Path)
	case n.Path != "" && n.Access == permissions.FSWrite:
		return "writing " + approval.Visible(n.Path)
	case n.Path != "":
		return "reading " + approval.Visible(n.Path)
	case n.Command != "":
		return "running " + approval.Visible(n.Command)
	}
	return n.What
}

// Words puts a part's words on one line, quoted where that is needed to tell
// them apart.
func Words(words []permissions.Word) string {
	out := make([]string, 0, len(words))
	for _, w := range words {
		t := approval.Visible(w.Text)
		if w.Known && (t == "" || strings.ContainsAny(t, " \t\n'\"\\$`;&|<>()*?[]{}~#!")) {
			t = "'" + strings.ReplaceAll(t, "'", `'\''`) + "'"
		}
		out = append(out, t)
	}
	return strings.Join(out, " ")
}

func where(s permissions.Source) string {
	switch {
	case s.File != "" && s.Line > 0:
		return fmt.Sprintf(" [%s:%d]", s.File, s.Line)
	case s.Layer != "":
		return " [" + s.Layer + "]"
	}
	return ""
}
