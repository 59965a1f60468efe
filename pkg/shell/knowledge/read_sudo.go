package knowledge

import "strings"

// readSudo describes sudo: assignments, then a command, a shell, or files to
// edit.
func readSudo(c *call) {
	ops := c.operands
	c.operands = nil
	c.apply()
	if c.has("-e", "--edit") {
		for _, op := range ops {
			c.role(role{kind: roleUpdate}, op.val, op.arg, false)
		}
		return
	}
	for _, op := range ops {
		if !strings.Contains(op.val.Prefix(), "=") {
			c.command(op.arg, "")
			return
		}
		c.assignment(op.val)
	}
	if c.has("-s", "-i", "--shell", "--login") {
		c.use.Stdin = StdinScript
	}
}
