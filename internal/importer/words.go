package importer

import (
	"strings"

	"mayi/pkg/permissions"
)

// end is how a pattern for commands goes on behind its words.
type end uint8

const (
	exactly end = iota // nothing may follow
	further            // any further words may follow
	more               // at least one further word follows
	unclear            // anything else
)

// pattern splits a command pattern with stars into its plain words and what
// follows them. complete: the words are all of it but the end.
func pattern(text string) (words []string, e end) {
	text = strings.Trim(text, " ")
	switch {
	case strings.HasSuffix(text, ":*"):
		text, e = strings.TrimSuffix(text, ":*"), further
	case strings.HasSuffix(text, " *"):
		text, e = strings.TrimSuffix(text, " *"), more
	case text == "*":
		return nil, further
	}
	for i, w := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' }) {
		// A leading A=b is no word of the command, and time is the shell's own.
		if !plain(w) || i == 0 && (strings.Contains(w, "=") || w == "time") {
			return words, unclear
		}
		words = append(words, w)
	}
	if len(words) == 0 {
		return nil, unclear
	}
	return words, e
}

// spaced reports whether there are more blanks than those between words.
func spaced(text string) bool {
	return strings.Contains(text, "  ") || strings.Trim(text, " ") != text || strings.HasSuffix(text, " :*")
}

// plain reports whether every shell reads the word as it stands, and mayi too.
func plain(w string) bool {
	return w != "" && strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-") == ""
}

func command(words []string) string {
	if len(words) == 0 {
		return "command(*)"
	}
	return "command(" + strings.Join(words, " ") + ")"
}

// command takes over a rule for commands whose pattern is text.
func (p *Policy) command(a permissions.Action, text, from string) {
	words, e := pattern(text)
	if a == permissions.ActionAllow {
		if spaced(text) {
			e = unclear // it is compared as a text, so that it covers another one than mayi's words
		}
		p.allowCommand(words, e, from)
		return
	}
	switch {
	case e == unclear && len(words) == 0:
		p.leave(from, "its first word is a pattern or needs a shell to be read, so no command of mayi's covers it", true)
	case e == unclear:
		p.add(a, command(words), from, "stricter: everything that begins so, since the pattern goes on in a way that mayi's rules cannot say")
	case e == exactly:
		p.add(a, command(words), from, "stricter: with further arguments, too")
	default:
		p.add(a, command(words), from, "")
	}
}

func (p *Policy) allowCommand(words []string, e end, from string) {
	switch e {
	case further:
		p.add(permissions.ActionAllow, command(words), from, "")
	case more:
		p.add(permissions.ActionAllow, command(append(words[:len(words):len(words)], "*")), from, "")
	case exactly:
		p.leave(from, "mayi's "+command(words)+" would cover further arguments, too; add it by hand where that is fine", false)
	default:
		p.leave(from, "the pattern cannot be said in words; what it covers is asked about", false)
	}
}

// folders is a glob cut before its first part that is no plain name, with
// everything below: what covers it for sure. "" where nothing is left.
func folders(glob string) string {
	parts := strings.Split(glob, "/")
	for i, part := range parts {
		if strings.ContainsAny(part, `*?[]!{}\`) {
			parts = parts[:i]
			break
		}
	}
	lead := strings.Join(parts, "/")
	if lead == "" || lead == "." || lead == "~" {
		return ""
	}
	return lead + "/**"
}

// path takes over a rule for files; kind is read or write.
func (p *Policy) path(a permissions.Action, kind, glob, from string) {
	if bare := strings.TrimSpace(glob); bare != glob { // mayi's rules have no blanks around
		if a == permissions.ActionAllow {
			p.leave(from, "there are blanks around its pattern", false)
			return
		}
		glob = bare
	}
	rule := kind + "(" + glob + ")"
	if _, err := permissions.ParseRule(a, rule, permissions.Source{}); err == nil {
		p.add(a, rule, from, "")
		return
	}
	wide := folders(glob)
	switch {
	case a == permissions.ActionAllow:
		p.leave(from, "mayi's globs cannot say it; what it covers is asked about", false)
	case wide == "":
		p.leave(from, "mayi's globs cannot say it, and it names no folder that covers it", true)
	default:
		p.add(a, kind+"("+wide+")", from, "stricter: everything below the folder")
	}
}

// host takes over a rule for a host, which in mayi covers its subdomains.
func (p *Policy) host(a permissions.Action, host, from string) {
	rest, all := strings.CutPrefix(host, "*.")
	switch {
	case a == permissions.ActionAllow && (strings.TrimSpace(host) != host || strings.Contains(rest, "*")):
		p.leave(from, "mayi's rules cannot say this host", false)
	case a == permissions.ActionAllow && !all:
		p.leave(from, "mayi's fetch("+host+") would cover subdomains, too; add it by hand where that is fine", false)
	case a != permissions.ActionAllow && strings.Contains(rest, "*"):
		p.add(a, "fetch(*)", from, "stricter: every host")
	case a != permissions.ActionAllow && all:
		p.add(a, "fetch("+rest+")", from, "stricter: the host itself, too")
	default:
		p.add(a, "fetch("+host+")", from, "")
	}
}
