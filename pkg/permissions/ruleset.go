package permissions

import "strings"

// ruleSet holds the rules of one action, indexed so that a decision costs by
// the call and hardly by the number of rules. It does not change once built.
type ruleSet struct {
	liberal     bool
	commands    wordTrie
	read, write pathIndex
	fetch       hostSet[*Rule]
	// tools and mcp are keyed by name; liberal sets fold the case.
	tools, mcp map[string]*Rule
	// first is the first rule of the set, nil where it is empty.
	first *Rule
}

func newRuleSet(p *Policy, action Action) ruleSet {
	s := ruleSet{liberal: action != ActionAllow, tools: map[string]*Rule{}, mcp: map[string]*Rule{}}
	s.read.liberal, s.write.liberal = s.liberal, s.liberal
	for i := range p.Rules {
		r := &p.Rules[i]
		if r.Action != action && (action != ActionDeny || r.Action <= ActionAllow) {
			continue // an action that does not exist is a deny
		}
		if s.first == nil {
			s.first = r
		}
		s.add(r, p)
	}
	return s
}

func (s *ruleSet) add(r *Rule, p *Policy) {
	switch r.Kind {
	case CommandRule:
		s.addCommand(r)
	case ReadRule:
		s.read.add(r, p.Workspace, p.Home)
	case WriteRule:
		s.write.add(r, p.Workspace, p.Home)
	case FetchRule:
		s.fetch.add(r.Glob, r)
	case MCPRule:
		keep(s.mcp, s.fold(r.Server+"."+r.Name), r)
	case ToolRule:
		keep(s.tools, s.fold(r.Glob), r)
	}
}

func (s *ruleSet) addCommand(r *Rule) {
	if len(r.Words) == 0 {
		return // built by hand; the parser refuses it
	}
	words := r.Words
	first := words[0]
	if tidy := tidyProgram(first); tidy != first {
		words = append([]string{tidy}, words[1:]...)
	}
	s.commands.add(words, r)
	if s.liberal && strings.HasPrefix(first, "/") {
		// Whoever denies /usr/bin/rm means rm.
		base := first[strings.LastIndexByte(first, '/')+1:]
		s.commands.add(append([]string{base}, words[1:]...), r)
	}
}

// keep puts the first rule for a key.
func keep(m map[string]*Rule, key string, r *Rule) {
	if _, known := m[key]; !known {
		m[key] = r
	}
}

// fold gives names that differ in letter case alone one key in liberal sets.
// Upper case first: it joins letters such as ſ and K with their plain forms.
func (s *ruleSet) fold(name string) string {
	if !s.liberal {
		return name
	}
	return strings.ToLower(strings.ToUpper(name))
}

// tool returns a tool or mcp rule that matches the tool. As an allow rule,
// tool(NAME) covers mayi's own tools alone.
func (s *ruleSet) tool(t Tool) *Rule {
	if len(s.tools) > 0 && (s.liberal || !t.foreign()) {
		if r := lookup(s.tools, s.fold(t.Name), "*"); r != nil {
			return r
		}
	}
	if t.Server == "" || len(s.mcp) == 0 {
		return nil
	}
	server, name := s.fold(t.Server), s.fold(t.Name)
	if !s.liberal && strings.Contains(server, ".") {
		// "a.b" + "c" and "a" + "b.c" look the same; a rule names the second.
		return lookup(s.mcp, "*."+name, "*.*")
	}
	return lookup(s.mcp, server+"."+name, server+".*", "*."+name, "*.*")
}

func lookup(m map[string]*Rule, keys ...string) *Rule {
	for _, k := range keys {
		if r := m[k]; r != nil {
			return r
		}
	}
	return nil
}

// command returns a rule that the part matches, and one that it may match
// where words are not known. For liberal sets.
func (s *ruleSet) command(p *Part) (sure, maybe *Rule) {
	if s.commands.some == nil {
		return nil, nil
	}
	try := func(words []Word) bool {
		r, m := s.commands.liberal(words, true)
		if maybe == nil {
			maybe = m
		}
		sure = r
		return r != nil
	}
	if try(p.Words) || p.Canon != nil && try(p.Canon) || p.Bare != nil && try(p.Bare) || p.InnerAt > 0 && p.InnerAt < len(p.Words) && try(p.Words[p.InnerAt:]) {
		return sure, nil
	}
	if p.ArgsMayRun {
		for i := 1; i < len(p.Words); i++ {
			if try(p.Words[i:]) {
				return sure, nil
			}
		}
		for i := 1; i < len(p.Words) && maybe == nil; i++ {
			maybe = s.inText(p.Words[i])
		}
	}
	return nil, maybe
}

// covering returns an allow rule of at least least words that certainly
// matches the part.
func (s *ruleSet) covering(p *Part) *Rule {
	if r := s.commands.strict(p.Words, 0, true); r != nil {
		return r
	}
	return s.commands.strict(p.Canon, 0, true)
}
