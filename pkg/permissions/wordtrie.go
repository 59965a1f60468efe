package permissions

import (
	"path"
	"strings"
)

// wordTrie finds the command rules whose words a command begins with. It costs
// by the command's words, not by the number of rules.
type wordTrie struct {
	next map[string]*wordTrie
	any  *wordTrie // the rule's word is *
	// rule is the first rule that ends here; some is any rule that ends here
	// or below, named where an unknown word may match it.
	rule, some *Rule
}

func (t *wordTrie) add(words []string, r *Rule) {
	if t.some == nil {
		t.some = r
	}
	if len(words) == 0 {
		if t.rule == nil {
			t.rule = r
		}
		return
	}
	into := &t.any
	if words[0] != "*" {
		if t.next == nil {
			t.next = map[string]*wordTrie{}
		}
		n := t.next[words[0]]
		if n == nil {
			n = &wordTrie{}
			t.next[words[0]] = n
		}
		into = &n
	}
	if *into == nil {
		*into = &wordTrie{}
	}
	(*into).add(words[1:], r)
}

// liberal finds a rule that the words begin with, and one that they may begin
// with, where a word is not known. first is true for the command's own word.
func (t *wordTrie) liberal(words []Word, first bool) (sure, maybe *Rule) {
	if t.rule != nil {
		return t.rule, nil
	}
	if len(words) == 0 || t.some == nil {
		return nil, nil
	}
	w := words[0]
	texts := w.OneOf
	if w.Known {
		texts = []string{w.Text}
	} else if len(texts) == 0 {
		return nil, t.some // any word, or none, or several
	}
	try := func(n *wordTrie) bool {
		if n == nil {
			return false
		}
		s, m := n.liberal(words[1:], false)
		if maybe == nil {
			maybe = m
		}
		sure = s
		return s != nil
	}
	for _, text := range texts {
		if try(t.next[text]) || first && strings.Contains(text, "/") && (try(t.next[path.Base(text)]) || try(t.next[path.Clean(text)]) || try(t.next[tidyProgram(text)])) {
			return sure, nil
		}
	}
	if try(t.any) {
		return sure, nil
	}
	return nil, maybe
}

// strict finds a rule of at least least words that the words certainly begin
// with. A word that is one of a few counts where every one of them is covered.
func (t *wordTrie) strict(words []Word, least int, first bool) *Rule {
	if t.rule != nil && least <= 0 && !byName(words) {
		return t.rule
	}
	if len(words) == 0 || t.some == nil {
		return nil
	}
	w := words[0]
	if w.Known {
		text := w.Text
		if first {
			text = tidyProgram(text)
		}
		return t.strictText(text, words, least)
	}
	var found *Rule
	for _, text := range w.OneOf {
		if found = t.strictText(text, words, least); found == nil {
			return nil
		}
	}
	return found
}

func (t *wordTrie) strictText(text string, words []Word, least int) *Rule {
	if n := t.next[text]; n != nil {
		if r := n.strict(words[1:], least-1, false); r != nil {
			return r
		}
	}
	if t.any != nil && !words[0].ByName {
		return t.any.strict(words[1:], least-1, false)
	}
	return nil
}

// byName reports whether a rule has to name one of the words.
func byName(words []Word) bool {
	for i := range words {
		if words[i].ByName {
			return true
		}
	}
	return false
}

// tidyProgram removes what does not change which file a program's path names:
// doubled slashes and "." components. "./x" keeps its "./", without which it
// would be looked up in PATH. ".." stays: a link may stand before it.
func tidyProgram(word string) string {
	if !strings.Contains(word, "//") && !strings.Contains(word, "./") {
		return word
	}
	comps := strings.Join(components(word), "/")
	switch {
	case strings.HasPrefix(word, "/"):
		return "/" + comps
	case !strings.Contains(comps, "/"):
		return "./" + comps
	}
	return comps
}
