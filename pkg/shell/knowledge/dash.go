package knowledge

import (
	"sort"
	"strings"

	"mayi/pkg/shell/value"
)

// spellings are names of options, in order.
type spellings struct {
	// long are those that can be abbreviated.
	long []string
	// risky are those that can write, run or hide something, so that a word
	// which may be an option is no mere operand.
	risky []string
}

// spelled works the spellings of a table out once.
func (t *table) spelled() *spellings {
	t.spellingsOnce.Do(func() {
		for name, o := range t.options {
			if strings.HasPrefix(name, "--") || t.spec.Style == "go" {
				t.spellings.long = append(t.spellings.long, name)
			}
			if risky(o) {
				t.spellings.risky = append(t.spellings.risky, name)
			}
		}
		sort.Strings(t.spellings.long)
		sort.Strings(t.spellings.risky)
	})
	return &t.spellings
}

// risky reports whether an option can do more than read: what a word could be
// taken for that nobody knows before it runs.
func risky(o *option) bool {
	for _, e := range o.does {
		switch {
		case e.mark == "stdin" || e.mark == "state" || e.mark == "follows" || e.mark == "by-name":
		case e.mark == "" && (e.role.kind == roleRead || e.role.kind == roleList):
		default:
			return true
		}
	}
	if !o.takes {
		return false
	}
	switch o.value.kind {
	case roleText, roleRead, roleList, roleData, rolePaths:
		return false
	}
	return true
}

// maybeOption deals with a word of which not even the first letter is known.
// It is taken for an operand by the caller; where it could also be an option
// that writes or runs something, that is said.
func (c *call) maybeOption(v value.Value) {
	t := c.table
	if t.commands != nil {
		return // an unknown sub-command says so itself
	}
	for _, alt := range v.Alternatives() {
		if len(alt) == 0 {
			continue
		}
		unknown := false
		for _, p := range alt {
			unknown = unknown || p.Kind == value.Any
		}
		switch first := alt[0]; {
		case first.Kind == value.Home, first.Kind == value.Num:
			continue // an absolute path, a number
		case first.Kind == value.Lit && first.Text != "":
			if first.Text[0] != '-' {
				continue
			}
			unknown = true // one of several words, some of which are options
		}
		for _, name := range t.spelled().risky {
			why := "a value that is not known before it runs (" + v.String() + ") may be taken for the option " + name + "; put -- or ./ before it"
			switch {
			case unknown:
				c.unread(why)
				return
			case globMayBe(alt, name, t.options[name]):
				c.use.Dashed = why // the disk may know better
			}
		}
	}
}

// globMayBe: a file name that the pattern matches can be the option name, or
// hold it together with a value.
func globMayBe(alt []value.Piece, name string, o *option) bool {
	toks := tokens(alt)
	if !globAdmits(toks, "-", false) {
		return false
	}
	stars := 0
	for _, t := range toks {
		if t.kind == '*' {
			stars++
		}
	}
	if stars > 4 || globAdmits(toks, name, true) {
		return true // more stars are not worth the search
	}
	if o.value.kind == roleTarget {
		return false // joined, it is only a directory here whose name looks like the option
	}
	if !o.takes {
		for _, t := range toks {
			if t.kind == 0 && strings.IndexByte("./ ", t.ch) >= 0 {
				return false
			}
		}
	}
	if strings.HasPrefix(name, "--") {
		return o.takes && globAdmits(toks, name+"=", false)
	}
	return globAdmits(toks, name, false) || toks[0].kind == '*'
}

// token is one element of a glob: a literal byte (kind 0), '?', or '*'.
type token struct {
	kind byte
	ch   byte
	dash bool // '?': a class that admits a dash
}

func tokens(alt []value.Piece) []token {
	var out []token
	for _, p := range alt {
		if p.Kind == value.Lit {
			for i := range len(p.Text) {
				out = append(out, token{ch: p.Text[i]})
			}
			continue
		}
		if p.Kind != value.Glob {
			out = append(out, token{kind: '*'})
			continue
		}
		s := p.Text
		for i := 0; i < len(s); i++ {
			switch s[i] {
			case '*':
				out = append(out, token{kind: '*'})
			case '?':
				out = append(out, token{kind: '?', dash: true})
			case '[':
				end := strings.IndexByte(s[i+1:], ']')
				if end <= 0 {
					out = append(out, token{kind: '?', dash: true})
					continue
				}
				out = append(out, token{kind: '?', dash: classHasDash(s[i+1 : i+1+end])})
				i += 1 + end
			case '\\':
				if i+1 < len(s) {
					i++
				}
				out = append(out, token{ch: s[i]})
			default:
				out = append(out, token{ch: s[i]})
			}
		}
	}
	return out
}

// classHasDash: the bracket expression may match '-'.
func classHasDash(class string) bool {
	if class == "^-" || class == "!-" {
		return false
	}
	if strings.HasPrefix(class, "!") || strings.HasPrefix(class, "^") || strings.Contains(class, "[") {
		return true
	}
	for i := 0; i < len(class); i++ {
		if i+2 < len(class) && class[i+1] == '-' {
			if class[i] <= '-' && '-' <= class[i+2] {
				return true
			}
			i += 2
			continue
		}
		if class[i] == '-' {
			return true
		}
	}
	return false
}

// globAdmits: some string that the tokens match is want (whole) or begins
// with it.
func globAdmits(toks []token, want string, whole bool) bool {
	if want == "" {
		if !whole {
			return true
		}
		for _, t := range toks {
			if t.kind != '*' {
				return false
			}
		}
		return true
	}
	if len(toks) == 0 {
		return false
	}
	switch t := toks[0]; t.kind {
	case '*':
		for n := 0; n <= len(want); n++ {
			if strings.IndexByte(want[:n], '/') < 0 && globAdmits(toks[1:], want[n:], whole) {
				return true
			}
		}
		return !whole
	case '?':
		if want[0] == '/' || want[0] == '-' && !t.dash {
			return false
		}
		return globAdmits(toks[1:], want[1:], whole)
	default:
		return t.ch == want[0] && globAdmits(toks[1:], want[1:], whole)
	}
}
