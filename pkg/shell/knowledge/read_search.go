package knowledge

import (
	"strings"

	"mayi/pkg/shell/value"
)

// readRipgrep describes rg and ag, which search the working directory unless
// they are told otherwise or read standard input.
func readRipgrep(c *call) {
	c.apply()
	if c.has("--type-list", "-V", "--version", "-h", "--help") {
		return
	}
	files := len(c.operands)
	if !c.has("-e", "--regexp", "-f", "--file", "--files") {
		files--
	}
	if files <= 0 {
		c.access(ReadFile, value.Exact("."), -1, true, false)
		c.stdin(StdinData)
	}
}

// readFd describes fd, whose -x and -X run a command for what is found.
func readFd(c *call) {
	ops := c.operands
	for _, s := range c.seen {
		if !s.has || !s.opt.is("-x") && !s.opt.is("-X") && !s.opt.is("--exec") && !s.opt.is("--exec-batch") {
			continue
		}
		words := []value.Value{s.val}
		for _, v := range c.rest(s.arg + 1) {
			if t, ok := v.Text(); ok && t == ";" {
				break
			}
			words = append(words, v)
		}
		run := Run{Kind: RunWords, Via: "fd"}
		run.Words, run.MoreArgs = c.fdWords(words, ops, s.arg)
		c.use.Runs = append(c.use.Runs, run)
		for k, op := range ops {
			if op.arg > s.arg {
				ops = ops[:k]
				break
			}
		}
	}
	c.operands = ops
	c.apply()
	if len(ops) == 1 {
		c.access(ListDir, value.Exact("."), -1, true, false)
	}
}

// fdWords are the words of a command that fd runs for what it finds, which
// stands at their end unless a word says where.
func (c *call) fdWords(words []value.Value, ops []operand, at int) (all []value.Value, more bool) {
	unknown := value.Unknown("a file that fd finds")
	for _, w := range words {
		if t, ok := w.Text(); !ok || strings.Contains(t, "{") {
			return append(words, unknown), true
		}
	}
	if c.has("-L", "--follow", "--base-directory", "-C", "--search-path", "--path-separator") {
		return append(words, unknown), true
	}
	found, first := value.Deep(true), true
	for i, op := range ops {
		if i == 0 || op.arg > at {
			continue // the pattern, the command
		}
		dir := under(op.val, value.Deep(true))
		if !first {
			dir = value.Union(found, dir)
		}
		found, first = dir, false
	}
	return append(words, found), false
}

// readFlock describes flock, whose -c may stand behind the file.
func readFlock(c *call) {
	ops := c.operands
	if len(ops) > 2 {
		if t, ok := ops[1].val.Text(); ok && (t == "-c" || t == "--command") {
			c.operands = ops[:1]
			c.apply()
			c.use.Runs = append(c.use.Runs, Run{Kind: RunScript, Script: ops[2].val, Via: "flock -c"})
			return
		}
	}
	c.apply()
}

// readHostname describes hostname: with an operand it sets the name.
func readHostname(c *call) {
	c.apply()
	if len(c.operands) > 0 {
		c.use.Executes = "sets the host's name"
	}
}
