package shell

import (
	"fmt"
	"strings"

	"mayi/pkg/permissions"
)

// show writes an analysis as short lines, for the case files.
func show(a Analysis) string {
	var b strings.Builder
	for i, p := range a.Parts {
		fmt.Fprintf(&b, "part %d %s%s", i, className(p.Class), opaqueName(p.Opaque))
		if p.ArgsMayRun {
			b.WriteString(" args-may-run")
		}
		if p.Person != "" {
			b.WriteString(" person")
		}
		fmt.Fprintf(&b, ": %s", showWords(p.Words))
		if p.Canon != nil {
			fmt.Fprintf(&b, " = %s", showWords(p.Canon))
		}
		if p.Bare != nil {
			fmt.Fprintf(&b, " ~ %s", showWords(p.Bare))
		}
		if p.Parent >= 0 || p.Via != "" {
			fmt.Fprintf(&b, " (%d via %s)", p.Parent, p.Via)
		}
		if p.InnerAt > 0 {
			fmt.Fprintf(&b, " inner@%d", p.InnerAt)
		}
		b.WriteByte('\n')
		for _, u := range p.Unread {
			fmt.Fprintf(&b, "  unread: %s\n", u.Why)
		}
	}
	for _, e := range a.Effects {
		b.WriteString(showEffect(e))
		b.WriteByte('\n')
	}
	for _, u := range a.Unread {
		fmt.Fprintf(&b, "unread: %s\n", u.Why)
	}
	return b.String()
}

func className(c permissions.Class) string {
	return [...]string{"program", "free", "wrapper", "function"}[c]
}

func opaqueName(o permissions.Opaque) string {
	return [...]string{"", " opaque-program", " opaque-inline"}[o]
}

func showWords(words []permissions.Word) string {
	var out []string
	for _, w := range words {
		switch {
		case w.Known && w.Text == "":
			out = append(out, "''")
		case w.ByName:
			out = append(out, "^"+w.Text)
		case w.Known:
			out = append(out, strings.NewReplacer("\n", `\n`, " ", `␣`).Replace(w.Text))
		case w.OneOf != nil:
			out = append(out, "{"+strings.Join(w.OneOf, "|")+"}")
		default:
			out = append(out, "‹"+strings.ReplaceAll(w.Text, "\n", `\n`)+"›")
		}
	}
	return strings.Join(out, " ")
}

func showEffect(e permissions.Effect) string {
	kind := [...]string{"undeclared", "read", "net_read", "state_write", "fs_write", "net_write", "exec"}[e.Kind]
	target := e.Path
	if e.Kind == permissions.NetRead || e.Kind == permissions.NetWrite {
		target = e.Host
	}
	if e.Kind == permissions.Exec && target == "" {
		target = "program " + e.Program
	}
	if target == "" {
		target = "?"
	}
	s := kind + " " + target
	switch e.Certainty {
	case permissions.Unknown:
		s += " unknown"
	case permissions.Bounded:
		s += " bounded"
	}
	if e.Recursive {
		s += " recursive"
	}
	if e.Follow {
		s += " through-links"
	}
	if e.NoFollow {
		s += " link-itself"
	}
	if e.Glob {
		s += " glob"
	}
	if e.LinkTo != "" {
		s += " -> " + e.LinkTo
	}
	if e.Origin == permissions.FromRedirect {
		s += " redirect"
	}
	return s + fmt.Sprintf(" @%d", e.Part)
}
