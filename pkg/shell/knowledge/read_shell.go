package knowledge

import "mayi/pkg/shell/value"

// readShell describes sh and its kin: text after -c, a script file, or
// commands from standard input.
func readShell(c *call) {
	ops := c.operands
	c.operands = nil
	c.apply() // the options only
	c.operands = ops
	login := c.has("-l", "--login", "-i", "--interactive")
	var args []value.Value
	if c.has("-c", "--command") {
		if s, ok := c.last("-c", "--command"); ok && s.has { // fish -c TEXT
			c.operands = append([]operand{{val: s.val, arg: s.arg}}, c.operands...)
		}
		if len(c.operands) == 0 {
			return
		}
		for _, op := range c.operands[1:] {
			args = append(args, op.val)
		}
		if c.has("-n", "--no-execute") {
			return
		}
		c.use.Runs = append(c.use.Runs, Run{Kind: RunScript, Script: c.operands[0].val, Args: args, Via: c.via() + " -c", Login: login})
		return
	}
	if len(c.operands) == 0 || c.has("-s") {
		if !c.has("--version", "--help") {
			c.use.Stdin = StdinScript
		}
		return
	}
	file := c.operands[0]
	if isDash(file.val) {
		c.use.Stdin = StdinScript
		return
	}
	if c.has("-n", "--no-execute") {
		c.access(ReadFile, file.val, file.arg, false, false)
		return
	}
	c.role(role{kind: roleCodeFile}, file.val, file.arg, false)
	for _, op := range c.operands[1:] {
		c.argument(op.val, op.arg)
	}
}
