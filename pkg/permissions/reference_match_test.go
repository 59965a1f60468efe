package permissions

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// The reference's matching: rules against words, paths and hosts, one by one.

// match is the liberal reading of one rule: it matches, or it may.
func (n *reference) match(r Rule) (sure, maybe bool) {
	same := func(a, b string) bool { return a == "*" || strings.EqualFold(a, b) }
	t := n.c.Tool
	switch r.Kind {
	case ToolRule:
		alias := n.c.Shell && (same(r.Glob, "bash") || same(r.Glob, "exec") || same(r.Glob, "shell"))
		return alias || same(r.Glob, t.Name), false
	case MCPRule:
		return t.Server != "" && same(r.Server, t.Server) && same(r.Name, t.Name), false
	case CommandRule:
		for _, p := range n.c.Parts {
			starts := [][]Word{p.Words, p.Canon, p.Bare}
			for i := range p.Words {
				if p.ArgsMayRun || p.InnerAt > 0 && i == p.InnerAt {
					starts = append(starts, p.Words[i:])
				}
			}
			for _, words := range starts {
				s, m := liberalWords(r.Words, words)
				sure, maybe = sure || s, maybe || m
			}
			maybe = maybe || p.ArgsMayRun && inSomeText(r.Words, p.Words)
		}
		return sure, maybe
	}
	for _, e := range n.c.Effects {
		s, m := n.matchEffect(r, e)
		if r.Action == ActionAsk && r.Kind != FetchRule && (e.Grant == GrantedOnce || e.Grant == GrantedSession) {
			continue
		}
		sure, maybe = sure || s, maybe || m
	}
	return sure, maybe
}

// inSomeText: one of a program's arguments is the text of a command that the
// rule matches.
func inSomeText(rule []string, words []Word) bool {
	before := regexp.MustCompile(`^\s*(!|\$|-\S*|[^\s=]+=\S*|if|then|else|do|while|time|sudo|doas|env|exec|command|nohup)(\s+|$)`)
	for i, w := range words {
		for _, text := range append([]string{w.Text}, w.OneOf...) {
			if i == 0 || !w.Known && text == w.Text && !slices.Contains(w.OneOf, text) || !regexp.MustCompile(`[ \t\n;|&]`).MatchString(text) {
				continue
			}
			text = regexp.MustCompile(`(?s)^-[^=]*=`).ReplaceAllString(text, "")
			for _, part := range regexp.MustCompile("[;|&(){}`\n]").Split(text, -1) {
				for before.MatchString(part) {
					part = before.ReplaceAllString(part, "")
				}
				var inner []Word
				for _, f := range strings.Fields(part) {
					inner = append(inner, Word{Text: strings.Trim(f, "\"'\\"), Known: true})
				}
				if s, m := liberalWords(rule, inner); len(inner) > 0 && (s || m) {
					return true
				}
			}
		}
	}
	return false
}

func (n *reference) matchEffect(r Rule, e Effect) (sure, maybe bool) {
	if r.Kind == FetchRule {
		if e.Kind != NetRead && e.Kind != NetWrite && e.Host == "" {
			return false, false
		}
		host, err := NormalizeHost(e.Host)
		return err == nil && hostCovered(r.Glob, host), err != nil
	}
	writes := e.Kind == FSWrite || e.Kind == Undeclared && e.Path != ""
	reads := e.Kind == Read || (e.Kind == Exec || e.Kind == Undeclared) && e.Path != ""
	if r.Kind == ReadRule && !reads || r.Kind == WriteRule && !writes {
		return false, false
	}
	if n.anyPath(e) {
		return false, n.partOpaque(e) == Clear
	}
	if e.Path == "" {
		return false, false
	}
	for _, name := range append([]string{path.Clean(e.Path), e.Place.Real}, e.Place.Below...) {
		sure = sure || name != "" && n.glob(r.Glob, name, true, true)
	}
	return sure, e.Place.Partial
}

func (n *reference) anyPath(e Effect) bool {
	if e.Path != "" || e.Kind != Read && e.Kind != FSWrite {
		return false
	}
	if e.Kind == FSWrite {
		return n.c.Shell || n.c.Tool.Builtin && n.c.Tool.Server == ""
	}
	return e.Certainty != Exact && (n.c.Shell || e.Why != "")
}

func (n *reference) partOpaque(e Effect) Opaque {
	if n.c.Shell && e.Part >= 0 && e.Part < len(n.c.Parts) {
		return n.c.Parts[e.Part].Opaque
	}
	return Clear
}

func strictWords(rule []string, words []Word) bool {
	if len(words) < len(rule) {
		return false
	}
	for i, r := range rule {
		texts := words[i].OneOf
		if words[i].Known {
			texts = []string{words[i].Text}
		}
		if words[i].ByName && r == "*" {
			return false
		}
		for _, t := range texts {
			if i == 0 && words[i].Known {
				t, r = sameProgram(t), sameProgram(r)
			}
			if r != "*" && r != t {
				return false
			}
		}
		if len(texts) == 0 {
			return false
		}
	}
	return !reached(words[len(rule):])
}

// reached: some word is one that a rule has to name.
func reached(words []Word) bool {
	return slices.ContainsFunc(words, func(w Word) bool { return w.ByName })
}

func sameProgram(t string) string {
	if !strings.Contains(t, "/") {
		return t
	}
	t = regexp.MustCompile(`/(\./)*/*(\./)*`).ReplaceAllString(t, "/")
	for strings.HasPrefix(t, "./") && strings.Contains(t[2:], "/") {
		t = t[2:]
	}
	return t
}

func liberalWords(rule []string, words []Word) (sure, maybe bool) {
	for i, r := range rule {
		if i >= len(words) {
			return false, false
		}
		w := words[i]
		if !w.Known && len(w.OneOf) == 0 {
			return false, true
		}
		texts := w.OneOf
		if w.Known {
			texts = []string{w.Text}
		}
		hit := false
		for _, t := range texts {
			hit = hit || r == "*" || r == t
			if i == 0 && strings.Contains(t, "/") {
				hit = hit || r == path.Base(t) || r == path.Clean(t) || sameProgram(r) == sameProgram(t) || path.IsAbs(r) && path.Base(r) == path.Base(t)
			}
			hit = hit || i == 0 && path.IsAbs(r) && path.Base(r) == t
		}
		if !hit {
			return false, false
		}
	}
	return true, false
}

func hostCovered(entry, host string) bool {
	if entry == "*" || entry == host {
		return true
	}
	literal := regexp.MustCompile(`^[0-9.]+$|:`).MatchString(host)
	return !literal && strings.HasSuffix(host, "."+strings.TrimPrefix(entry, "*."))
}

// glob translates a path glob to a regular expression.
func (n *reference) glob(glob, name string, liberal, self bool) bool {
	prefixes := []string{""}
	switch {
	case glob == "~" || strings.HasPrefix(glob, "~/"):
		prefixes = []string{regexp.QuoteMeta(n.p.Home)}
		glob = glob[1:]
	case strings.HasPrefix(glob, "/"):
	default:
		floating := !strings.Contains(strings.TrimSuffix(glob, "/"), "/") || strings.HasPrefix(glob, "**/")
		if floating {
			glob = "/**/" + strings.TrimPrefix(glob, "**/")
		}
		if !liberal || !floating {
			prefixes = nil
			for _, w := range n.p.Workspace {
				prefixes = append(prefixes, regexp.QuoteMeta(w))
			}
		}
	}
	expr := ""
	for _, c := range components(glob) {
		if c == "**" {
			expr += "(/[^/]+)*"
			continue
		}
		c = regexp.QuoteMeta(c)
		c = strings.NewReplacer(`\*`, `[^/]*`, `\?`, `[^/]`, `\[!`, `[^/`, `\[\^`, `[^/`, `\[`, `[`, `\]`, `]`).Replace(c)
		expr += "/" + c
	}
	if inside, ok := strings.CutSuffix(expr, "(/[^/]+)*"); ok && !self {
		expr = inside + "(/[^/]+)+"
	}
	full := "/" + strings.Join(components(name), "/")
	for _, p := range prefixes {
		if regexp.MustCompile("^"+p+expr+"(/.*)?$").MatchString(full) || p+expr == "" {
			return true
		}
	}
	return false
}
