package knowledge

import (
	"strings"

	"mayi/pkg/shell/value"
)

// parse sorts the words into options and operands. It stops at the first
// operand where the program does, or where that operand names a sub-command,
// and returns the index at which it stopped.
func (c *call) parse() int {
	s := c.table.spec
	if s.Responses {
		c.responses()
	}
	for i := c.at; i < len(c.argv); {
		v := c.argv[i]
		text, exact := v.Text()
		if s.Style == "none" {
			c.operand(v, i)
			i++
			continue
		}
		if exact && text == "--" {
			c.dashes = true
			i++
			if c.table.commands != nil {
				return i
			}
			for ; i < len(c.argv); i++ {
				c.operands = append(c.operands, operand{c.argv[i], i, true})
			}
			return i
		}
		head := text
		if !exact {
			head = v.Prefix()
		}
		if isOption(head, exact, s.Plus) {
			n, last := c.option(v, head, exact, i)
			i += n
			if last {
				for ; i < len(c.argv); i++ {
					c.operands = append(c.operands, operand{c.argv[i], i, true})
				}
			}
			continue
		}
		if !exact && head == "" {
			c.maybeOption(v)
		}
		if c.table.commands != nil || s.Stop {
			return i
		}
		c.operand(v, i)
		i++
	}
	return len(c.argv)
}

// responses notes the words that stand for those in a file. They are replaced
// before anything is an option or its value.
func (c *call) responses() {
	for i, v := range c.argv[c.at:] {
		if head := v.Prefix(); len(head) > 0 && head[0] == '@' {
			c.role(role{kind: roleHidden}, cut(v, 1), c.at+i, false)
		}
	}
}

func (c *call) operand(v value.Value, i int) {
	c.operands = append(c.operands, operand{val: v, arg: i})
}

// isOption: the word begins like an option. A word of which only a leading
// dash is known counts.
func isOption(head string, exact, plus bool) bool {
	if head == "" || exact && head == "-" {
		return false
	}
	return head[0] == '-' || plus && head[0] == '+'
}

// option reads the option at index i and returns how many words it takes and
// whether option parsing ends after it.
func (c *call) option(v value.Value, head string, exact bool, i int) (n int, last bool) {
	style := c.table.spec.Style
	if style == "go" || style == "joined" || head[0] == '+' {
		return c.wordOption(v, head, exact, i)
	}
	if strings.HasPrefix(head, "--") {
		return c.longOption(v, head, exact, i)
	}
	return c.cluster(v, head, exact, i)
}

func (c *call) longOption(v value.Value, head string, exact bool, i int) (int, bool) {
	name, _, joined := strings.Cut(head, "=")
	if !exact && !joined {
		c.unread("an option is not known before it runs: " + v.String())
		return 1, false
	}
	o := c.lookup(name)
	if o == nil {
		c.unknown(name)
		return 1, false
	}
	if joined {
		return c.take(o, cut(v, len(name)+1), i, true), o.last
	}
	if !o.takes || o.optional {
		c.see(seen{opt: o, arg: i}, i, 1)
		return 1, o.last
	}
	return c.takeNext(o, i), o.last
}

// take notes an option with a joined value.
func (c *call) take(o *option, val value.Value, i int, eq bool) int {
	if !o.takes {
		if eq {
			c.unread("option " + o.name + " is given a value that it does not take")
		}
		c.see(seen{opt: o, arg: i}, i, 1)
		return 1
	}
	c.see(seen{opt: o, val: val, has: true, arg: i, joined: true}, i, 1)
	return 1
}

// takeNext notes an option whose value is the next word. A value that is
// missing is an error of the program, which then does nothing.
func (c *call) takeNext(o *option, i int) int {
	if i+1 >= len(c.argv) {
		c.see(seen{opt: o, arg: i}, i, 1)
		return 1
	}
	c.see(seen{opt: o, val: c.argv[i+1], has: true, arg: i + 1}, i, 2)
	return 2
}

func (c *call) see(s seen, i, n int) {
	c.seen = append(c.seen, s)
	if s.opt.byName {
		c.use.ByName = append(c.use.ByName, i)
	}
	if s.opt.harmless {
		for k := range n {
			c.drop = append(c.drop, i+k)
		}
	}
}

// cluster reads -abc, where a letter that takes a value ends it.
func (c *call) cluster(v value.Value, head string, exact bool, i int) (int, bool) {
	if exact && len(head) > 2 {
		// Some programs have options of several letters with one dash
		// (wget -nv, zip -TT).
		if o := c.lookupExact(head); o != nil {
			if o.takes && !o.optional {
				return c.takeNext(o, i), o.last
			}
			c.see(seen{opt: o, arg: i}, i, 1)
			return 1, o.last
		}
	}
	for k := 1; k < len(head); k++ {
		if c.table.spec.Digits && head[k] >= '0' && head[k] <= '9' {
			continue
		}
		o := c.lookupExact("-" + head[k:k+1])
		if o == nil {
			c.unknown("-" + head[k:k+1])
			return 1, false
		}
		if !o.takes {
			c.see(seen{opt: o, arg: i}, i, 1)
			if o.last {
				return 1, true
			}
			continue
		}
		if k+1 == len(head) && exact {
			if o.optional {
				c.see(seen{opt: o, arg: i}, i, 1)
				return 1, o.last
			}
			return c.takeNext(o, i), o.last
		}
		return c.take(o, cut(v, k+1), i, false), o.last
	}
	if !exact {
		c.unread("an option is not known before it runs: " + v.String())
	}
	return 1, false
}

// wordOption reads options that are one word with one dash or two.
func (c *call) wordOption(v value.Value, head string, exact bool, i int) (int, bool) {
	name, skip := head, 0
	if strings.HasPrefix(head, "--") && c.table.spec.Style == "go" {
		name, skip = head[1:], 1
	}
	if exact {
		if o := c.lookupExact(name); o != nil {
			if !o.takes || o.optional {
				c.see(seen{opt: o, arg: i}, i, 1)
				return 1, o.last
			}
			return c.takeNext(o, i), o.last
		}
	}
	if before, _, ok := strings.Cut(name, "="); ok {
		if o := c.lookupExact(before); o != nil {
			return c.take(o, cut(v, skip+len(before)+1), i, o.takes), o.last
		}
	}
	if c.table.spec.Style == "joined" || head[0] == '+' {
		for n := len(name) - 1; n >= 1; n-- {
			if o := c.lookupExact(name[:n]); o != nil && o.takes {
				return c.take(o, cut(v, n), i, false), o.last
			}
		}
	}
	if c.table.spec.Digits && exact && allDigits(name[1:]) {
		return 1, false
	}
	if !exact {
		c.unread("an option is not known before it runs: " + v.String())
		return 1, false
	}
	c.unknown(name)
	return 1, false
}

func allDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// lookupExact finds a spelling in the table, or in a parent's whose options
// may stand after the sub-command.
func (c *call) lookupExact(name string) *option {
	for t := c.table; t != nil; t = t.parent {
		if t != c.table && !t.spec.Inherit {
			continue
		}
		if o := t.options[name]; o != nil {
			return o
		}
	}
	return nil
}

// lookup finds a long option by its name, the negation of a flag, or a
// prefix that can only mean one option.
func (c *call) lookup(name string) *option {
	if o := c.lookupExact(name); o != nil {
		return o
	}
	s := c.table.spec
	if rest, ok := strings.CutPrefix(name, "--no-"); ok && s.Negate {
		if o := c.lookupExact("--" + rest); o != nil {
			return &option{name: name}
		}
	}
	if s.Abbrev != nil && !*s.Abbrev || len(name) < 3 {
		return nil
	}
	var found *option
	for t := c.table; t != nil; t = t.parent {
		if t != c.table && !t.spec.Inherit {
			continue
		}
		for _, l := range t.spelled().long {
			if !strings.HasPrefix(l, name) || t.options[l] == found {
				continue
			}
			if found != nil {
				return nil
			}
			found = t.options[l]
		}
	}
	return found
}

// unknown is an option that the table does not have. Where the table takes
// such options for data, that only holds for a call that is an exec effect or
// sends to the network in any case: see [call.settle].
func (c *call) unknown(name string) {
	for t := c.table; t != nil; t = t.parent {
		switch t.spec.Unknown {
		case "data":
			if c.plain == 0 {
				c.plain = len(c.operands) + 1
			}
			return
		case "text":
			c.guessed = append(c.guessed, name)
			return
		}
	}
	c.unread("unknown option " + name)
}
