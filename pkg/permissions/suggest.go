package permissions

import (
	"path"
	"slices"
	"strings"
)

// suggestions returns rules that would spare this question the next time:
// first the narrowest one for everything that was asked for, then broader
// ones. None of them covers an interpreter, a wrapper or what cannot be read,
// and each is one that [ParseRule] accepts and that covers what it is for. Where
// all of them together would leave a question open, there are none.
func (f *findings) suggestions() []Rule {
	var narrow, broad []Rule
	for _, i := range f.bare {
		p := &f.call.Parts[i]
		if !p.suggestible() {
			continue
		}
		words := p.Words
		if p.Canon != nil {
			words = p.Canon
		}
		texts := knownWords(words)
		narrow = f.suggestCommand(narrow, p, texts)
		n := max(p.Name, 1)
		for k, w := range words {
			if w.ByName {
				n = max(n, k+1)
			}
		}
		if n < len(texts) {
			broad = f.suggestCommand(broad, p, texts[:n])
		}
	}
	for i := range f.reasons {
		r := &f.reasons[i]
		switch {
		case r.Verdict != Ask:
		case r.Code == "workspace":
			narrow = suggestPath(narrow, &f.effects[r.Effect])
		case r.Code == "no-rule" && !f.call.Shell:
			narrow = f.suggestTool(narrow)
		}
	}
	for _, r := range broad {
		narrow = appendRule(narrow, r)
	}
	if !f.answered(narrow) {
		return nil
	}
	return narrow
}

func (f *findings) suggestCommand(out []Rule, p *Part, words []string) []Rule {
	r, ok := suggestion(Rule{Kind: CommandRule, Words: words})
	if !ok {
		return out
	}
	var t wordTrie
	t.add(r.Words, &r)
	if t.strict(p.Words, 0, true) == nil && t.strict(p.Canon, 0, true) == nil {
		return out
	}
	return appendRule(out, r)
}

// suggestPath suggests a standing grant for the file that the effect leads to.
func suggestPath(out []Rule, e *Effect) []Rule {
	r := Rule{Kind: ReadRule, Glob: escapeGlob(e.Place.Real)}
	switch {
	case e.Kind == Exec || e.Glob || !strings.HasPrefix(r.Glob, "/"):
		return out
	case e.writes():
		r.Kind = WriteRule
	}
	if r, ok := suggestion(r); ok {
		return appendRule(out, r)
	}
	return out
}

func (f *findings) suggestTool(out []Rule) []Rule {
	t := f.call.Tool
	r := Rule{Kind: ToolRule, Glob: t.Name}
	if t.Server != "" {
		r = Rule{Kind: MCPRule, Server: t.Server, Name: t.Name}
	}
	if t.Server == "*" || t.Name == "*" || t.Server == "" && t.foreign() {
		return out
	}
	if r, ok := suggestion(r); ok {
		return appendRule(out, r)
	}
	return out
}

// suggestion writes the rule as text and keeps it where that reads back as
// the same rule.
func suggestion(r Rule) (Rule, bool) {
	r.Action = ActionAllow
	back, err := ParseRule(ActionAllow, r.format(), Source{})
	if err != nil || back.Kind != r.Kind || !slices.Equal(back.Words, r.Words) || back.Glob != r.Glob || back.Server != r.Server || back.Name != r.Name {
		return Rule{}, false
	}
	return back, true
}

func appendRule(rules []Rule, r Rule) []Rule {
	if slices.ContainsFunc(rules, func(have Rule) bool { return have.Text == r.Text }) {
		return rules
	}
	return append(rules, r)
}

// knownWords returns the words up to the first one that is not known or that a
// rule could not hold.
func knownWords(words []Word) []string {
	var out []string
	for _, w := range words {
		if !w.Known || w.Text == "*" || strings.ContainsRune(w.Text, 0) {
			break
		}
		out = append(out, w.Text)
	}
	return out
}

// suggestible reports whether a rule for the part's first words says enough
// about what would run.
func (p *Part) suggestible() bool {
	if len(p.Unread) > 0 || p.Opaque == OpaqueInline || p.Class == Wrapper || p.InnerAt > 0 || p.elevates() || len(p.Words) == 0 {
		return false
	}
	if p.Canon != nil && (len(p.Canon) == 0 || isInterpreter(p.Canon[0].Text)) {
		return false
	}
	return !isInterpreter(p.Words[0].Text)
}

// isInterpreter reports whether the program runs whatever program text it is
// given. Version numbers in the name do not count (python3.12).
func isInterpreter(word string) bool {
	name := strings.TrimSuffix(strings.ToLower(path.Base(word)), ".exe")
	switch strings.TrimRight(name, "0123456789.-") {
	case "sh", "bash", "dash", "zsh", "fish", "ksh", "mksh", "csh", "tcsh", "ash", "busybox", "toybox", "pwsh", "powershell", "cmd",
		"python", "pypy", "ipython", "node", "nodejs", "deno", "bun", "perl", "ruby", "irb", "php", "lua", "luajit", "tclsh", "wish", "expect",
		"awk", "gawk", "mawk", "nawk", "osascript", "rscript", "r", "julia", "guile", "scala", "groovy", "emacs", "vim", "vi", "ed", "ex",
		"eval", "source", ".", "", "exec", "command", "builtin", "env", "xargs", "parallel", "timeout", "nice", "nohup", "time", "watch", "ssh", "npx", "bunx", "uvx":
		return true
	}
	return false
}
