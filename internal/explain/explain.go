// Package explain draws why a call was decided as it was: the command, its
// parts, what each would do, the rule that speaks of it, the decision, and
// what would have to change.
package explain

import (
	"fmt"
	"io"
	"slices"
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

func (p *printer) effect(e permissions.Effect) string {
	w := wire.FromEffect(e)
	text := verb(e)
	switch {
	case w.Path != "":
		text += " " + approval.Line(w.Path)
		if e.Recursive {
			text += " and all below"
		}
		if e.LinkTo != "" {
			text += " → " + approval.Line(e.LinkTo)
		}
		text += p.style.Dim(" (" + side(w.Place) + ")")
	case w.Host != "":
		text += " " + approval.Line(w.Host)
	case w.Program != "":
		text += " " + approval.Line(w.Program)
	default:
		text += " " + p.style.Dim("(not known which)")
	}
	if e.Kind == permissions.FSWrite && e.Place.Protected != "" {
		text += p.style.Yellow(", protected")
	}
	if e.Why != "" {
		text += p.style.Dim(": " + approval.Line(e.Why))
	}
	return text
}

// side puts the side of the boundary that a path lies on into words.
func side(place string) string {
	if place == "mayi" {
		return "mayi's own"
	}
	return place
}

// verb says what an effect does; "may" where it could also touch less.
func verb(e permissions.Effect) string {
	word := ""
	switch e.Kind {
	case permissions.Read:
		word = "read"
	case permissions.FSWrite:
		word = "write"
		if e.LinkTo != "" {
			word = "link"
		}
	case permissions.Exec:
		word = "run"
	case permissions.NetRead:
		word = "fetch from"
	case permissions.NetWrite:
		word = "send to"
	case permissions.StateWrite:
		word = "change state"
	default:
		return "may do anything"
	}
	if e.Certainty == permissions.Bounded {
		return "may " + word
	}
	if e.Kind == permissions.NetRead {
		return "fetches from"
	}
	first, rest, _ := strings.Cut(word, " ")
	return strings.TrimRight(first+"s "+rest, " ")
}

func (p *printer) verdict() string {
	text := p.style.Bold(p.style.Verdict(p.v.Verdict)) + ": " + approval.Line(p.v.Reason)
	if p.v.Verdict != permissions.Allow && p.v.Risk != "" {
		text += p.style.Dim(" (risk: " + string(p.v.Risk) + ")")
	}
	return text
}

// findings tells what else was found. What would be allowed by itself is worth
// a line only where a rule or a grant says so.
func (p *printer) findings() {
	for _, r := range p.v.Reasons {
		if r.Rule == nil && (r.Text == p.v.Reason || r.Verdict == permissions.Allow && p.v.Verdict != permissions.Allow) {
			continue
		}
		text := approval.Line(r.Text)
		if r.Rule != nil {
			text += p.style.Dim(where(r.Rule.Source))
		}
		p.line("  ", p.paint(r.Verdict, r.Verdict.String())+": "+text)
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
	var needs []string
	for _, n := range p.v.Needs {
		if text := Need(n); !slices.Contains(needs, text) {
			needs = append(needs, text)
		}
	}
	p.list("A person would have to grant:", needs)
	var rules []string
	for _, s := range p.v.Suggestions {
		rules = append(rules, approval.Line(s.Text))
	}
	p.list(heading(needs), rules)
}

// heading introduces the rules. Each of them answers one of the needs.
func heading(needs []string) string {
	if len(needs) > 1 {
		return "Rules for permissions.allow, narrowest first; each spares one of these questions:"
	}
	return "Rules for permissions.allow that spare this question, narrowest first:"
}

func (p *printer) list(heading string, lines []string) {
	if len(lines) == 0 {
		return
	}
	p.line("", "")
	p.line("", heading)
	for _, l := range lines {
		p.line("  ", l)
	}
}

// Need puts one need into words.
func Need(n permissions.Need) string {
	switch {
	case n.Path != "" && n.What == "protected":
		return "writing the protected " + approval.Line(n.Path)
	case n.Path != "" && n.Access == permissions.FSWrite:
		return "writing " + approval.Line(n.Path)
	case n.Path != "":
		return "reading " + approval.Line(n.Path)
	case n.Command != "":
		return "running " + approval.Line(n.Command)
	}
	return n.What
}

// Words puts a part's words on one line, quoted where that is needed to tell
// them apart.
func Words(words []permissions.Word) string {
	out := make([]string, 0, len(words))
	for _, w := range words {
		t := approval.Line(w.Text)
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
