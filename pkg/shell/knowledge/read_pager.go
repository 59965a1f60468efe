package knowledge

import "strings"

// readPager describes less, more and view-like programs: +command runs a
// command of the pager, which can be a shell.
func readPager(c *call) {
	ops := c.operands
	c.operands = nil
	c.apply()
	for _, op := range ops {
		if strings.HasPrefix(op.val.Prefix(), "+") && !op.after {
			rest := strings.TrimLeft(op.val.Prefix(), "+")
			if text, ok := op.val.Text(); ok && (strings.HasPrefix(rest, "/") || strings.Trim(rest, "0123456789FGgf") == "") && text != "" {
				continue
			}
			c.unread("a command of the pager: " + op.val.String())
			continue
		}
		c.role(role{kind: roleRead}, op.val, op.arg, false)
	}
	if len(ops) == 0 {
		c.stdin(StdinData)
	}
}
