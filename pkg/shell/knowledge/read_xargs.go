package knowledge

import (
	"strings"

	"mayi/pkg/shell/value"
)

// readXargs describes xargs: a command to which words that nobody knows are
// appended, or put where the replacement text of -I stands.
func readXargs(c *call) {
	ops := c.operands
	c.operands = nil
	c.apply()
	if !c.has("-a", "--arg-file") {
		c.use.Stdin = StdinArgs
	}
	c.use.Transparent = c.table.spec.Transparent
	unknown := value.Unknown(InputWord)
	replace := ""
	c.use.Split = c.xargsSplit()
	for _, s := range c.seen {
		switch {
		case s.opt.is("-I"):
			t, ok := s.val.Text()
			if !ok || t == "" {
				c.unread("the replacement text of xargs is not known")
			}
			replace = t
		case s.opt.is("-i"), s.opt.is("--replace"):
			replace = "{}"
			if t, ok := s.val.Text(); s.has && ok && t != "" {
				replace = t
			}
		}
	}
	if len(ops) == 0 {
		c.use.Runs = append(c.use.Runs, Run{Kind: RunWords, Words: []value.Value{value.Exact("echo"), unknown}, MoreArgs: true, Via: "xargs"})
		return
	}
	var words []value.Value
	replaced := false
	for _, op := range ops {
		t, ok := op.val.Text()
		if replace != "" && ok && strings.Contains(t, replace) {
			w := value.Exact("")
			for k, part := range strings.Split(t, replace) {
				if k > 0 {
					w = value.Concat(w, unknown)
				}
				w = value.Concat(w, value.Exact(part))
			}
			words, replaced = append(words, w), true
			continue
		}
		words = append(words, op.val)
	}
	run := Run{Kind: RunWords, Words: words, Via: "xargs"}
	if replace == "" {
		run.Words, run.MoreArgs, run.At = append(words, unknown), true, ops[0].arg
	} else if !replaced {
		run.At = ops[0].arg
	}
	c.use.InnerAt = ops[0].arg
	c.use.Runs = append(c.use.Runs, run)
}

// xargsSplit is how xargs makes words of its input.
func (c *call) xargsSplit() Split {
	split := SplitBlanks
	for _, s := range c.seen {
		t, known := s.val.Text()
		switch s.opt.name {
		case "-a", "--arg-file", "-E", "-e", "--eof":
			return SplitUnknown
		case "-I", "-i", "--replace":
			if split == SplitBlanks {
				split = SplitLines
			}
		case "-0", "--null":
			split = SplitNULs
		case "-d", "--delimiter":
			switch {
			case known && (t == "\n" || t == `\n`):
				split = SplitNewlines
			case known && t == `\0`:
				split = SplitNULs
			default:
				return SplitUnknown
			}
		}
	}
	return split
}
