package permissions

import (
	"net/netip"
	"strings"
)

// Shadow is a rule that can never matter, because another rule of the same
// list covers everything that it matches.
type Shadow struct {
	Rule, By Rule
}

// Warning says so in one sentence that names both rules and their places.
func (s Shadow) Warning() string {
	where := func(r Rule) string {
		if at := r.Source.String(); at != "" {
			return r.String() + " (" + at + ")"
		}
		return r.String()
	}
	return where(s.Rule) + " never matters: " + where(s.By) + " covers it"
}

// Shadowed finds rules that never matter, in the order in which they stand. Of
// two rules that cover each other the first one counts. It finds duplicates,
// longer forms of a command rule, paths in a covered directory, subdomains and
// names under a *; of two patterns with wildcards it compares only the text. The
// same rule in two layers is no finding.
func Shadowed(rules []Rule) []Shadow {
	sets := [...]shadowSet{ActionDeny: {}, ActionAsk: {}, ActionAllow: {strict: true}}
	for i := range rules {
		if r := &rules[i]; int(r.Action) < len(sets) {
			sets[r.Action].add(r)
		}
	}
	var out []Shadow
	for i := range rules {
		r := &rules[i]
		if int(r.Action) >= len(sets) {
			continue
		}
		if by := sets[r.Action].covering(r); by != nil && !apart(r, by) {
			out = append(out, Shadow{*r, *by})
		}
	}
	return out
}

// apart reports whether the same rule stands in the settings of two layers: each
// of them holds it for itself, whatever becomes of the other.
func apart(a, b *Rule) bool {
	return a.Source.Layer != b.Source.Layer && a.String() == b.String()
}

// shadowSet holds the rules of one action by what they can cover.
type shadowSet struct {
	strict   bool
	same     map[string]*Rule // by kind and folded body: the first of a text
	commands wordTrie
	// literal are path rules without wildcards that are bound to a directory,
	// open the other ones; by rule kind (read, write).
	literal, open [2]pathIndex
}

// The stand-ins for the workspace and the home, which no real path begins with.
const (
	someRoot = "/\x00workspace"
	someHome = "/\x00home"
)

func (s *shadowSet) key(kind RuleKind, body string) string {
	set := ruleSet{liberal: !s.strict && (kind == MCPRule || kind == ToolRule)}
	return kind.String() + "(" + set.fold(body)
}

func (s *shadowSet) add(r *Rule) {
	if s.same == nil {
		s.same = map[string]*Rule{}
	}
	keep(s.same, s.key(r.Kind, body(r)), r)
	switch r.Kind {
	case CommandRule:
		s.commands.add(r.Words, r)
	case ReadRule, WriteRule:
		into := &s.open[r.Kind-ReadRule]
		if _, plain := s.path(r); plain {
			into = &s.literal[r.Kind-ReadRule]
		}
		into.liberal = !s.strict
		into.add(r, []string{someRoot}, someHome)
	}
}

// path returns the directories that the rule's pattern begins with, and
// whether that is all of it.
func (s *shadowSet) path(r *Rule) (comps []string, plain bool) {
	p := compileGlob(r.Glob, []string{someRoot}, someHome, !s.strict)[0]
	for _, c := range p {
		if hasMeta(c) {
			return comps, false
		}
		comps = append(comps, c)
	}
	return comps, true
}

// covering returns another rule that covers r, or nil.
func (s *shadowSet) covering(r *Rule) *Rule {
	if first := s.same[s.key(r.Kind, body(r))]; first != r {
		return first
	}
	other := func(bodies ...string) *Rule {
		for _, b := range bodies {
			if by := s.same[s.key(r.Kind, b)]; by != nil && by != r {
				return by
			}
		}
		return nil
	}
	switch r.Kind {
	case CommandRule:
		return s.commands.covers(r.Words, r)
	case ReadRule, WriteRule:
		return s.coveringPath(r)
	case MCPRule:
		return other(r.Server+".*", "*."+r.Name, "*.*")
	case FetchRule:
		return coveringHost(r.Glob, other)
	}
	return other("*")
}

func (s *shadowSet) coveringPath(r *Rule) *Rule {
	comps, plain := s.path(r)
	literal, open := &s.literal[r.Kind-ReadRule], &s.open[r.Kind-ReadRule]
	if !plain {
		return literal.find(comps, true)
	}
	if len(comps) > 0 {
		if by := literal.find(comps[:len(comps)-1], true); by != nil {
			return by
		}
	}
	return open.find(comps, !s.strict)
}

func coveringHost(host string, other func(...string) *Rule) *Rule {
	name, sub := strings.CutPrefix(host, "*.")
	if by := other("*"); by != nil || host == "*" {
		return by
	}
	if by := other(name); sub && by != nil {
		return by
	}
	if _, err := netip.ParseAddr(name); err == nil {
		return nil
	}
	for {
		_, parent, ok := strings.Cut(name, ".")
		if !ok {
			return nil
		}
		if by := other(parent, "*."+parent); by != nil {
			return by
		}
		name = parent
	}
}

// covers returns a rule other than self whose words cover every command that
// begins with words.
func (t *wordTrie) covers(words []string, self *Rule) *Rule {
	switch {
	case t == nil:
		return nil
	case t.rule != nil && t.rule != self:
		return t.rule
	case len(words) == 0:
		return nil
	}
	if by := t.next[words[0]].covers(words[1:], self); by != nil {
		return by
	}
	return t.any.covers(words[1:], self)
}
