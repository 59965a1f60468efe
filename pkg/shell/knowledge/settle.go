package knowledge

import (
	"strings"

	"mayi/pkg/shell/value"
)

// settle ends a description by a table that takes unknown options for data:
// where nothing else makes the call one that needs a rule, they are unread
// after all; and words that look like paths may be files.
func (c *call) settle() {
	if c.follows {
		for i := range c.use.Accesses {
			a := &c.use.Accesses[i]
			a.Follow = a.Follow || a.Recursive && (a.Kind == ReadFile || a.Kind == ListDir)
		}
	}
	if c.table.adds || !c.lenient() {
		return
	}
	if c.use.Executes == "" && c.use.Workspace == "" && !c.sends() {
		for _, name := range c.guessed {
			c.unread("unknown option " + name)
		}
	}
	c.guessPaths()
}

// lenient: the table, or one above it, takes unknown options for data.
func (c *call) lenient() bool {
	for t := c.table; t != nil; t = t.parent {
		switch t.spec.Unknown {
		case "text":
			return true
		case "data", "unread":
			return false
		}
	}
	return false
}

func (c *call) sends() bool {
	for _, n := range c.use.Net {
		if n.Write {
			return true
		}
	}
	return false
}

// guessPaths notes the words that nothing else was said about and that look
// like paths. Words of a command that the program runs are not its own.
func (c *call) guessPaths() {
	end := len(c.argv)
	if c.use.InnerAt > 0 {
		end = c.use.InnerAt
	}
	said := make([]bool, len(c.argv))
	say := func(i int) {
		if i >= 0 && i < len(said) {
			said[i] = true
		}
	}
	for _, a := range c.use.Accesses {
		say(a.Arg)
	}
	for _, n := range c.use.Net {
		say(n.Arg)
	}
	for _, s := range c.seen {
		say(s.arg)
	}
	for i := c.at; i < end; i++ {
		if said[i] {
			continue
		}
		c.argument(c.argv[i], i)
	}
}

// argument is something that a program is given of which nobody knows what it
// does with it: what looks like a path may be read and written.
func (c *call) argument(v value.Value, arg int) {
	switch head := v.Prefix(); {
	case strings.HasPrefix(head, "-"):
		k := strings.IndexAny(head, "=:")
		if k < 0 {
			k = 1 // -o/a/file
		}
		if k+1 >= len(head) {
			return
		}
		v = cut(v, k+1)
	case strings.HasPrefix(head, "file:"):
		v = cut(v, len("file:"))
	case !looksLikePath(v) && strings.Contains(head, "="):
		v = cut(v, strings.IndexByte(head, '=')+1)
	}
	if looksLikePath(v) {
		c.access(ReadFile, v, arg, true, true)
		c.access(WriteFile, v, arg, true, true)
	}
}

func looksLikePath(v value.Value) bool {
	if alts := v.Alternatives(); len(alts[0]) > 0 && alts[0][0].Kind == value.Home {
		return true
	}
	head := v.Prefix()
	if head == "" || strings.Contains(head, "://") || strings.ContainsAny(head, " \t\n") {
		return false
	}
	return strings.HasPrefix(head, "/") || strings.HasPrefix(head, ".") && head != "." || strings.HasPrefix(head, "~/") || strings.Contains(head, "/../")
}
