package knowledge

// readDockerRun describes docker run and create: an image, then a command in
// the container; some options give the container the whole machine.
func readDockerRun(c *call) {
	ops := c.operands
	c.operands = nil
	c.apply()
	for i, op := range ops {
		if i == 1 {
			c.command(op.arg, "container")
		}
	}
	for _, name := range []string{"--pid", "--ipc", "--net", "--network", "--uts", "--userns"} {
		if s, ok := c.last(name); ok {
			if t, known := s.val.Text(); !known || t == "host" && (name == "--pid" || name == "--userns") {
				c.unread("the container shares the machine's " + name[2:])
			}
		}
	}
	c.each(func(s seen) {
		if t, ok := s.val.Text(); !s.has || !ok || t != "false" {
			c.unread("a privileged container can do anything to the machine")
		}
	}, "--privileged")
}
