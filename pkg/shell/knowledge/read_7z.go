package knowledge

import (
	"strings"

	"mayi/pkg/shell/value"
)

// read7z describes 7z: a command letter, an archive, files.
func read7z(c *call) {
	ops := c.operands
	c.operands = nil
	var words []operand
	out := value.Exact(".")
	for _, op := range ops {
		head := op.val.Prefix()
		switch {
		case strings.HasPrefix(head, "-o"):
			out = cut(op.val, 2)
		case strings.HasPrefix(head, "-w"):
			c.access(WriteFile, cut(op.val, 2), op.arg, true, true)
		case strings.HasPrefix(head, "-i@"), strings.HasPrefix(head, "-x@"), strings.HasPrefix(head, "@"):
			c.unread("the names of the files stand in " + op.val.String())
		case strings.HasPrefix(head, "-"):
		default:
			words = append(words, op)
		}
	}
	if len(words) == 0 {
		return
	}
	command, ok := words[0].val.Text()
	if !ok {
		c.unread("the command of 7z is not known")
		return
	}
	if len(words) < 2 {
		return
	}
	switch command {
	case "l", "t", "h":
		for _, w := range words[1:] {
			c.access(ReadFile, w.val, w.arg, false, false)
		}
	case "x", "e":
		c.access(ReadFile, words[1].val, words[1].arg, false, false)
		c.access(WriteFile, out, -1, true, true)
	case "a", "u", "d", "rn":
		c.access(ReadFile, words[1].val, words[1].arg, false, true)
		c.access(WriteFile, words[1].val, words[1].arg, false, false)
		for _, w := range words[2:] {
			c.access(ReadFile, w.val, w.arg, true, false)
		}
	case "i", "b":
	default:
		c.unread("unknown command of 7z: " + command)
	}
}
