package knowledge

import "strings"

// readMake describes make: targets, and assignments that can replace the
// programs that its rules run.
func readMake(c *call) {
	ops := c.operands
	c.operands = nil
	c.apply()
	if c.has("-v", "--version", "-h", "--help") && c.via() != "bmake" { // there -v prints a variable
		c.use.Workspace = ""
		return
	}
	c.each(func(s seen) {
		if isDash(s.val) {
			c.unread("the makefile comes from standard input")
		}
	}, "-f", "--file", "--makefile")
	for _, op := range ops {
		head := op.val.Prefix()
		name, _, ok := strings.Cut(head, "=")
		if !ok {
			if _, exact := op.val.Text(); !exact {
				c.unread("a target or assignment of make is not known: " + op.val.String())
			}
			c.steps = append(c.steps, op.arg)
			continue
		}
		name = strings.TrimRight(name, ":+?! ")
		steer, why := c.base.EnvEffect(name, cut(op.val, strings.IndexByte(head, '=')+1))
		if name == "RM" || name == "SHELL" || name == ".SHELLFLAGS" || name == "INSTALL" {
			steer, why = SteersProgram, name+" is a program that make runs"
		}
		if steer == SteersProgram || strings.Contains(op.val.String(), "$(shell") || strings.Contains(op.val.String(), "!=") {
			c.unread("make: " + why)
		}
	}
}
