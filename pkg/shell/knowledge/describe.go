package knowledge

import (
	"strings"

	"mayi/pkg/shell/value"
)

const (
	// maxWords bounds the words that are looked at; more is Unread.
	maxWords = 4096
	// maxAccesses and maxUnread bound what one description lists.
	maxAccesses = 8192
	maxUnread   = 64
	// maxReadings bounds in how many ways words with several possible values
	// are read one by one.
	maxReadings = 16
	// maxScript bounds, in bytes, the inline programs that are read.
	maxScript = 1 << 16
	// maxSteps bounds how deep sub-commands go.
	maxSteps = 4
)

// Describe says what the program argv[0] does with its arguments. A program
// that is named with a directory is known only where the directory is one of
// the system's. It is total, and safe for concurrent use.
func (b *Base) Describe(argv []value.Value) Use { return b.DescribeInput(argv, nil) }

// DescribeInput is [Base.Describe] where the text on standard input is known
// as far as input says; nil where it is not text of the command line at all.
func (b *Base) DescribeInput(argv []value.Value, input *value.Value) Use {
	if len(argv) == 0 {
		return Use{}
	}
	name, ok := programName(argv[0])
	if !ok {
		return Use{}
	}
	t, extra, err := b.program(name)
	if t == nil && err == nil {
		return Use{}
	}
	if err != nil {
		return Use{Known: true, Name: 1, Unread: []string{err.Error()}}
	}
	if len(argv) > maxWords {
		return Use{Known: true, Name: 1, Unread: []string{"too many words"}}
	}
	use := b.readings(t, argv, input)
	if extra != nil {
		name, canon := use.Name, use.Canon
		use = merge(use, b.readings(extra, argv, input))
		use.Name, use.Canon = name, canon
	}
	return use
}

// programName is the name under which a program is looked up.
func programName(v value.Value) (string, bool) {
	text, ok := v.Text()
	if !ok || text == "" {
		return "", false
	}
	k := strings.LastIndexByte(text, '/')
	if k < 0 {
		return text, true
	}
	switch text[:k] {
	case "/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/opt/homebrew/bin":
		return text[k+1:], true
	}
	return "", false
}

// readings describes argv; where a word is one of a few, every choice is
// described on its own and the results are put together.
func (b *Base) readings(t *table, argv []value.Value, input *value.Value) Use {
	n := 1
	for _, v := range argv {
		if k := len(v.Alternatives()); k > 1 {
			if _, ok := v.Texts(); !ok {
				continue
			}
			n *= k
			if n > maxReadings {
				return b.one(t, argv, input)
			}
		}
	}
	if n == 1 {
		return b.one(t, argv, input)
	}
	var use Use
	for k := range n {
		words, rest := make([]value.Value, len(argv)), k
		for i, v := range argv {
			words[i] = v
			if texts, ok := v.Texts(); ok && len(texts) > 1 {
				words[i] = value.Exact(texts[rest%len(texts)])
				rest /= len(texts)
			}
		}
		u := b.one(t, words, input)
		if k == 0 {
			use = u
			continue
		}
		use = merge(use, u)
	}
	for i := range use.Accesses {
		use.Accesses[i].May = true
	}
	return use
}

// one describes argv by the table and the tables of its sub-commands.
func (b *Base) one(t *table, argv []value.Value, input *value.Value) Use {
	use := Use{Known: true, Name: 1}
	c := &call{base: b, table: t, argv: argv, at: 1, use: &use, input: input}
	c.run(0)
	if len(c.drop) > 0 {
		use.Canon = without(len(argv), c.drop)
	}
	use.Bare = c.bare()
	return use
}

// bare is [Use.Bare].
func (c *call) bare() []int {
	n := len(c.steps)
	if n == 0 || c.steps[n-1] == n {
		return nil // nothing stands between
	}
	out := append([]int{0}, c.steps...)
	for i := c.steps[n-1] + 1; i < len(c.argv); i++ {
		out = append(out, i)
	}
	return out
}

// run parses by the table, goes on with the sub-command, or applies.
func (c *call) run(depth int) {
	stop := c.parse()
	t := c.table
	if t.commands != nil && stop < len(c.argv) && depth < maxSteps {
		c.subcommand(stop, depth)
		return
	}
	for i := stop; i < len(c.argv); i++ {
		c.operands = append(c.operands, operand{c.argv[i], i, c.dashes})
	}
	c.use.Transparent = t.spec.Transparent
	if t.spec.Reader != "" {
		readerFor(t.spec.Reader)(c)
	} else {
		c.apply()
	}
	c.prints()
	c.settle()
}

// subcommand goes on in the table that the word at index i names.
func (c *call) subcommand(i, depth int) {
	parent := c.table
	name, ok := c.argv[i].Text()
	if (len(c.guessed) > 0 || c.plain > 0) && !parent.adds {
		// Its value may be what looks like the sub-command.
		c.unread("an option before the sub-command " + c.argv[i].String() + " is not known")
	}
	var next *table
	var err error
	if found := parent.command(name); ok && found != nil {
		next, err = found.get()
	} else if ok && parent.other != nil {
		next, err = parent.other.get()
	}
	if next == nil && !ok && parent.other != nil {
		c.anyCommand(parent)
	}
	if next == nil {
		c.apply()
		if err != nil {
			c.unread(err.Error())
		} else if !parent.adds {
			c.unread("unknown sub-command " + c.argv[i].String())
		}
		return
	}
	c.use.Name++
	c.steps = append(c.steps, i)
	for _, s := range c.seen {
		c.steered = c.steered || !s.opt.harmless
	}
	c.globals()
	seen := c.seen
	c.table, c.at, c.operands = next, i+1, nil
	if parent.spec.Inherit {
		c.seen = seen
	} else {
		c.seen = nil
	}
	c.run(depth + 1)
}

// anyCommand: which sub-command it is, is not known, so that it may be the
// person's.
func (c *call) anyCommand(parent *table) {
	if other, err := parent.other.get(); err == nil {
		for _, e := range other.always {
			if e.mark == "person" {
				c.use.Person = e.text
			}
		}
	}
}

// globals applies the options that stand before the sub-command.
func (c *call) globals() {
	t := c.table
	if !t.spec.Inherit { // otherwise they are applied with the sub-command's own
		for _, s := range c.seen {
			if s.has && s.opt.value.kind == roleCd {
				c.chdir(s.val, s.arg)
			}
		}
	}
	c.effects(t.always)
	if t.spec.Inherit {
		return
	}
	for _, s := range c.seen {
		c.effects(s.opt.does)
		if s.has && s.opt.value.kind != roleCd {
			c.role(s.opt.value, s.val, s.arg, false)
		}
	}
	if t.spec.Reader != "" {
		readerFor(t.spec.Reader)(c)
	}
}

func without(n int, drop []int) []int {
	out := make([]int, 0, n)
	d := 0
	for i := range n {
		for d < len(drop) && drop[d] < i {
			d++
		}
		if d < len(drop) && drop[d] == i {
			continue
		}
		out = append(out, i)
	}
	return out
}
