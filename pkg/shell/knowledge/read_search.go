package knowledge

import "mayi/pkg/shell/value"

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
	c.apply()
	files := len(c.operands)
	for _, s := range c.seen {
		if !s.opt.is("-x") && !s.opt.is("-X") {
			continue
		}
		words := append([]value.Value{}, s.val)
		for _, v := range c.rest(s.arg + 1) {
			if t, ok := v.Text(); ok && t == ";" {
				break
			}
			words = append(words, v)
		}
		words = append(words, value.Unknown("a file that fd finds"))
		c.use.Runs = append(c.use.Runs, Run{Kind: RunWords, Words: words, MoreArgs: true, Via: "fd"})
		files = 0
	}
	if files < 2 {
		c.access(ListDir, value.Exact("."), -1, true, false)
	}
}

// readHostname describes hostname: with an operand it sets the name.
func readHostname(c *call) {
	c.apply()
	if len(c.operands) > 0 {
		c.use.Executes = "sets the host's name"
	}
}
