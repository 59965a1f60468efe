package explain

import (
	"fmt"
	"strings"

	"mayi/internal/wire"
	"mayi/pkg/approval"
	"mayi/pkg/permissions"
)

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

// Need puts one need into words.
func Need(n permissions.Need) string {
	switch {
	case n.Path != "" && n.What == "protected":
		return "writing the protected " + approval.Line(n.Path)
	case n.Path != "" && n.What == "asked" && n.Access == permissions.FSWrite:
		return "writing " + approval.Line(n.Path) + ", which a rule asks about"
	case n.Path != "" && n.What == "asked":
		return "reading " + approval.Line(n.Path) + ", which a rule asks about"
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
