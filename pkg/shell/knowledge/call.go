package knowledge

import (
	"strings"

	"mayi/pkg/shell/value"
)

// call is one description under way: a table, the words that it is matched
// against, what was found, and the Use that is being filled.
type call struct {
	base  *Base
	table *table
	argv  []value.Value
	// at is the index of the first word to read.
	at       int
	seen     []seen
	operands []operand
	// dashes is set when "--" was given.
	dashes bool
	// drop are indexes of argv that Canon leaves out.
	drop []int
	// steps are the indexes in argv of the sub-commands.
	steps []int
	dir   *value.Value
	use   *Use
	// input is the text on standard input, nil where none is at hand.
	input *value.Value
	// follows: the program follows the links that it finds below a folder.
	follows bool
	// steered: an option before the sub-command may change what that prints.
	steered bool
	// guessed are options that were taken for data without being known.
	guessed []string
	// plain, where it is not 0, is one more than the number of operands before
	// the first option that is not known: its value may stand among the rest.
	plain int
	// splits counts how often env -S has been split on the way here.
	splits int
}

// seen is an option as it was given.
type seen struct {
	opt *option
	// val is the value where has is set.
	val value.Value
	has bool
	// arg is the index in argv of the word that holds the value (or option).
	arg int
	// joined: the value stands in the option's own word.
	joined bool
}

// operand is a word that is no option.
type operand struct {
	val value.Value
	arg int
	// after: it stands after "--".
	after bool
}

// has reports whether one of the options was given, by any spelling.
func (c *call) has(names ...string) bool {
	for i := range c.seen {
		for _, n := range names {
			if c.seen[i].opt.is(n) {
				return true
			}
		}
	}
	return false
}

// last returns the value that was given last for an option.
func (c *call) last(names ...string) (seen, bool) {
	for i := len(c.seen) - 1; i >= 0; i-- {
		for _, n := range names {
			if c.seen[i].opt.is(n) {
				return c.seen[i], true
			}
		}
	}
	return seen{}, false
}

// each calls f for every use of an option, in order.
func (c *call) each(f func(seen), names ...string) {
	for _, s := range c.seen {
		for _, n := range names {
			if s.opt.is(n) {
				f(s)
				break
			}
		}
	}
}

func (c *call) unread(why string) {
	if len(c.use.Unread) >= maxUnread {
		return // there is no less read than unread
	}
	for _, u := range c.use.Unread {
		if u == why {
			return
		}
	}
	c.use.Unread = append(c.use.Unread, why)
}

// access notes the use of a path relative to the directory in force.
func (c *call) access(kind AccessKind, v value.Value, arg int, tree, may bool) {
	if len(c.use.Accesses) >= maxAccesses {
		c.unread("it uses too many files to list")
		return
	}
	c.use.Accesses = append(c.use.Accesses, Access{Kind: kind, Path: v, Dir: c.dir, Recursive: tree, May: may, Arg: arg})
}

// linkItself marks the last n accesses: they touch a link, not what it leads to.
func (c *call) linkItself(n int) {
	for i := max(0, len(c.use.Accesses)-n); i < len(c.use.Accesses); i++ {
		c.use.Accesses[i].NoFollow = true
	}
}

func (c *call) net(write bool, v value.Value, arg int) {
	c.use.Net = append(c.use.Net, Net{Write: write, Target: v, Arg: arg})
}

// rest returns the words from index i of argv to the end.
func (c *call) rest(i int) []value.Value {
	if i >= len(c.argv) {
		return nil
	}
	return c.argv[i:]
}

// chdir makes everything else relative to v, which is looked at.
func (c *call) chdir(v value.Value, arg int) {
	c.access(ListDir, v, arg, false, false)
	d := v
	if c.dir != nil {
		d = under(*c.dir, v)
	}
	c.dir = &d
	c.use.Cwd = &d
}

// under is p as seen from the directory dir.
func under(dir, p value.Value) value.Value {
	if rooted(p) {
		return p
	}
	if t, ok := dir.Text(); ok && strings.HasSuffix(t, "/") {
		return value.Concat(dir, p)
	}
	return value.Concat(value.Concat(dir, value.Exact("/")), p)
}

// rooted: every possible string is an absolute path.
func rooted(v value.Value) bool { return strings.HasPrefix(v.Prefix(), "/") }

// cut drops the first n bytes of every alternative, which have to be literal.
func cut(v value.Value, n int) value.Value {
	var out value.Value
	for i, alt := range v.Alternatives() {
		left, one := n, value.Exact("")
		for _, p := range alt {
			text := p.Text
			if p.Kind == value.Lit && left > 0 {
				k := min(left, len(text))
				text, left = text[k:], left-k
			}
			one = value.Concat(one, piece(p.Kind, text))
		}
		if i == 0 {
			out = one
		} else {
			out = value.Union(out, one)
		}
	}
	return out
}

func piece(k value.PieceKind, text string) value.Value {
	return value.Of(value.Piece{Kind: k, Text: text})
}

// home is a file in the home directory of the user who runs the command.
func home(path string) value.Value {
	return value.Concat(value.HomeOf("~"), value.Exact(path))
}
