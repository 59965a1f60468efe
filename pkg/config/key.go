package config

import (
	"encoding/json"

	"mayi/pkg/permissions"
)

// kind is the type of a key's value.
type kind uint8

const (
	boolKind kind = iota
	wordKind
	intKind
	listKind
)

// key is one documented setting: what it is called, what it means, what it is
// when nobody sets it, and how a layer's value is merged into the settings.
type key struct {
	path, doc string
	kind      kind
	// words are the values of a wordKind key, strictest first.
	words []string
	// low and high bound an intKind key.
	low, high int
	// dflt is the default as a JSON value, nil where there is none.
	dflt any
	// items describes the elements of a list, for the schema.
	items string
	// check says what is wrong with one element of a list.
	check func(s *Settings, text string) (problem, hint string)
	// put merges a value. It returns false where the layer may not have it.
	put func(s *Settings, v value, l *layer) bool
	get func(s *Settings) any
}

// value is what was read for a key.
type value struct {
	bool  bool
	int   int
	word  string
	items []item
}

// item is one element of a list.
type item struct {
	text string
	src  permissions.Source
}

func (v value) texts() []string {
	out := make([]string, len(v.items))
	for i, it := range v.items {
		out[i] = it.text
	}
	return out
}

// flag is a switch. safe is the stricter of its two values.
func flag(path string, dflt, safe bool, at func(*Settings) *bool, doc string) key {
	return key{path: path, doc: doc, kind: boolKind, dflt: dflt,
		put: func(s *Settings, v value, l *layer) bool {
			p := at(s)
			if !l.trusted && v.bool != safe && v.bool != *p {
				return false
			}
			*p = v.bool
			return true
		},
		get: func(s *Settings) any { return *at(s) },
	}
}

// choice is one of a few words, given strictest first.
func choice[T ~string](path string, dflt T, words []string, at func(*Settings) *T, doc string) key {
	return key{path: path, doc: doc, kind: wordKind, words: words, dflt: string(dflt),
		put: func(s *Settings, v value, l *layer) bool {
			p := at(s)
			if !l.trusted && index(words, v.word) > index(words, string(*p)) {
				return false
			}
			*p = T(v.word)
			return true
		},
		get: func(s *Settings) any { return string(*at(s)) },
	}
}

// ceiling is a mode that the managed file sets for good. Where nobody sets it,
// it is what unset returns.
func ceiling(path string, at func(*Settings) *permissions.Mode, unset func(*Settings) permissions.Mode, doc string) key {
	k := key{path: path, doc: doc, kind: wordKind, words: modes()}
	k.put = func(s *Settings, v value, l *layer) bool {
		p, mode := at(s), permissions.Mode(v.word)
		now := *p
		if now == "" {
			now = unset(s)
		}
		if !l.trusted && permissions.RankOf(mode) > permissions.RankOf(now) {
			return false
		}
		if l.name == "managed" {
			s.ceilings[path] = mode
		}
		if top, ok := s.ceilings[path]; ok && permissions.RankOf(mode) > permissions.RankOf(top) {
			mode = top
			s.Notices = append(s.Notices, Notice{l.file, v.items[0].src.Line, v.items[0].src.Col,
				path + " is kept at " + quote(string(top)) + " by the managed settings"})
		}
		*p = mode
		return true
	}
	k.get = func(s *Settings) any {
		if m := *at(s); m != "" {
			return string(m)
		}
		return nil
	}
	return k
}

// list is a list of texts of which the last layer wins. covered says whether an
// element is no more than what the list already allows.
func list(path, items string, at func(*Settings) *[]string, covered func(now []string, text string) bool,
	check func(*Settings, string) (string, string), doc string) key {
	return key{path: path, doc: doc, kind: listKind, items: items, dflt: []string{}, check: check,
		put: func(s *Settings, v value, l *layer) bool {
			p := at(s)
			if !l.trusted {
				for _, it := range v.items {
					if !covered(*p, it.text) {
						return false
					}
				}
			}
			*p = v.texts()
			return true
		},
		get: func(s *Settings) any { return texts(*at(s)) },
	}
}

// sum is a list that adds up over the layers.
func sum(path, items string, at func(*Settings) *[]string, check func(*Settings, string) (string, string), doc string) key {
	return key{path: path, doc: doc, kind: listKind, items: items, dflt: []string{}, check: check,
		put: func(s *Settings, v value, _ *layer) bool {
			p := at(s)
			for _, t := range v.texts() {
				if index(*p, t) < 0 {
					*p = append(*p, t)
				}
			}
			return true
		},
		get: func(s *Settings) any { return texts(*at(s)) },
	}
}

// rules is a list of rules. Deny and ask add up, of allow the last layer wins.
func rules(path string, action permissions.Action, at func(*Settings) *[]permissions.Rule, doc string) key {
	return key{path: path, doc: doc, kind: listKind, items: "rule", dflt: []string{},
		check: func(_ *Settings, text string) (string, string) {
			if _, err := permissions.ParseRule(action, text, permissions.Source{}); err != nil {
				return "the rule " + quote(text) + " cannot be read: " + err.Error(), ""
			}
			return "", ""
		},
		put: func(s *Settings, v value, l *layer) bool {
			p := at(s)
			var read []permissions.Rule
			for _, it := range v.items {
				// The elements have been checked; one that fails now is dropped,
				// and the check has made a problem of it.
				if r, err := permissions.ParseRule(action, it.text, it.src); err == nil {
					read = append(read, r)
				}
			}
			if action != permissions.ActionAllow {
				*p = append(*p, read...)
				return true
			}
			if !l.trusted {
				for _, r := range read {
					if index(ruleTexts(*p), r.Text) < 0 {
						return false
					}
				}
			}
			replaced(s, path, *p, read, v, l)
			*p = read
			return true
		},
		get: func(s *Settings) any { return texts(ruleTexts(*at(s))) },
	}
}

// commandRules are allow rules of which each has to be one for commands.
func commandRules(path string, at func(*Settings) *[]permissions.Rule, doc string) key {
	k := rules(path, permissions.ActionAllow, at, doc)
	readable := k.check
	k.check = func(s *Settings, text string) (string, string) {
		if problem, hint := readable(s, text); problem != "" {
			return problem, hint
		}
		if r, _ := permissions.ParseRule(permissions.ActionAllow, text, permissions.Source{}); r.Kind != permissions.CommandRule {
			return "the rule " + quote(text) + " is not about a command: only what is run can run confined", "write it into permissions.allow"
		}
		return "", ""
	}
	return k
}

// replaced tells of allow rules that the layer takes out of force by having a
// list of its own. A session says what it wants for itself.
func replaced(s *Settings, path string, before, after []permissions.Rule, v value, l *layer) {
	if l.name == "session" || !l.trusted {
		return
	}
	kept, line, col := ruleTexts(after), 0, 0
	if len(v.items) > 0 {
		line, col = v.items[0].src.Line, v.items[0].src.Col
	}
	for _, r := range before {
		if index(kept, r.Text) < 0 {
			s.replaced = append(s.replaced, Notice{l.file, line, col,
				path + " stands in for the list of the " + r.Source.Layer + " settings, so that " + r.Text + " (" + r.Source.File + ") does not count here; repeat it or take this list out"})
			return
		}
	}
}

func ruleTexts(rules []permissions.Rule) []string {
	out := make([]string, len(rules))
	for i, r := range rules {
		out[i] = r.Text
	}
	return out
}

// texts is a copy that is never nil, so that it is written as [].
func texts(list []string) []string { return append([]string{}, list...) }

func index(list []string, s string) int {
	for i, x := range list {
		if x == s {
			return i
		}
	}
	return -1
}

func modes() []string {
	return []string{string(permissions.Plan), string(permissions.AcceptEdits), string(permissions.Auto)}
}

// raw is the JSON of a value that is handed on.
type raw = json.RawMessage
