package scripted

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"mayi/pkg/agent/model"
)

// parsed is what a line means: a tool with its arguments, or something to say.
type parsed struct {
	tool string
	args map[string]any
	say  string
}

// tools are the names of the tools that may be called, with the names of their
// parameters.
type tools map[string][]string

func toolset(list []model.Tool) tools {
	t := tools{}
	for _, d := range list {
		params := []string{}
		if props, ok := d.Parameters["properties"].(map[string]any); ok {
			for name := range props {
				params = append(params, name)
			}
		}
		t[d.Name] = params
	}
	return t
}

// first is the first of names that is a tool; "" where none is.
func (t tools) first(names ...string) string {
	for _, n := range names {
		if _, ok := t[n]; ok {
			return n
		}
	}
	return ""
}

// param is the first of names that tool has as a parameter; the first name
// where it has none of them.
func (t tools) param(tool string, names ...string) string {
	for _, n := range names {
		if slices.Contains(t[tool], n) {
			return n
		}
	}
	return names[0]
}

// form is one kind of line.
type form struct {
	// words are what a line of this form begins with.
	words []string
	// usage and what describe it in the help.
	usage, what string
	// parse takes the rest of the line; "" as a tool means that the rest did
	// not fit.
	parse func(t tools, rest string) (tool string, args map[string]any)
}

// forms lists the lines that are understood, in the order of the help.
func forms() []form {
	return []form{
		{[]string{"exec", "run", "$", "bash"}, "exec COMMAND", "run a shell command (also: run …, $ …)", parseExec},
		{[]string{"read", "cat"}, "read FILE", "show a file", parseRead},
		{[]string{"write"}, "write FILE TEXT", "write a text into a file", parseWrite},
		{[]string{"edit"}, "edit FILE OLD => NEW", "replace a text in a file", parseEdit},
		{[]string{"ls"}, "ls [DIR]", "list a directory", parseLs},
		{[]string{"find"}, "find PATTERN [DIR]", "find files by name", parseFind},
		{[]string{"grep"}, "grep PATTERN [DIR]", "search in files", parseGrep},
		{[]string{"fetch"}, "fetch URL", "fetch a web page", parseFetch},
		{[]string{"tools"}, "tools [WORDS]", "look for tools", parseTools},
		{[]string{"help", "?"}, "help", "show this", nil},
	}
}

// parse reads a line.
func parse(line string, t tools) parsed {
	line = strings.TrimSpace(line)
	word, rest, _ := strings.Cut(line, " ")
	if after, ok := strings.CutPrefix(line, "$"); ok {
		word, rest = "$", after
	}
	rest = strings.TrimSpace(rest)
	for _, f := range forms() {
		if !slices.Contains(f.words, strings.ToLower(word)) {
			continue
		}
		if f.parse == nil {
			return parsed{say: help()}
		}
		tool, args := f.parse(t, rest)
		switch {
		case args == nil:
			return parsed{say: fmt.Sprintf("I did not understand that. It goes: %s", f.usage)}
		case tool == "":
			return parsed{say: fmt.Sprintf("There is no tool for %q here; there are: %s.", f.words[0], t.list())}
		}
		return parsed{tool: tool, args: args}
	}
	return parsed{say: "I am a scripted model, not a clever one: I know only a few kinds of lines.\n" + help()}
}

func help() string {
	var b strings.Builder
	b.WriteString("What I understand:")
	for _, f := range forms() {
		fmt.Fprintf(&b, "\n  %-22s %s", f.usage, f.what)
	}
	b.WriteString("\nNames with blanks go in quotes.")
	return b.String()
}

func (t tools) list() string {
	if len(t) == 0 {
		return "none"
	}
	names := make([]string, 0, len(t))
	for n := range t {
		names = append(names, n)
	}
	sort.Strings(names)
	return strings.Join(names, ", ")
}

// cutWord takes the first word off a line; a word in double quotes may hold
// blanks and Go escapes, one in single quotes blanks. ok is false where there
// is none or its quote is not closed. The rest keeps its own blanks but for one.
func cutWord(s string) (word, rest string, ok bool) {
	if s == "" {
		return "", "", false
	}
	switch s[0] {
	case '"':
		q, err := strconv.QuotedPrefix(s)
		if err != nil {
			return "", "", false
		}
		word, err = strconv.Unquote(q)
		return word, strings.TrimPrefix(s[len(q):], " "), err == nil && word != ""
	case '\'':
		i := strings.IndexByte(s[1:], '\'')
		if i < 1 {
			return "", "", false
		}
		return s[1 : i+1], strings.TrimPrefix(s[i+2:], " "), true
	}
	word, rest, _ = strings.Cut(s, " ")
	return word, rest, true
}

// quotedAfter finds key followed by a quoted Go string, as tools write it.
func quotedAfter(s, key string) (string, bool) {
	_, rest, found := strings.Cut(s, key)
	if !found {
		return "", false
	}
	q, err := strconv.QuotedPrefix(rest)
	if err != nil {
		return "", false
	}
	v, err := strconv.Unquote(q)
	return v, err == nil
}
