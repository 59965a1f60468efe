package knowledge

// readCondition describes test and [: operators that look at a file.
func readCondition(c *call) {
	for i, op := range c.operands {
		t, ok := op.val.Text()
		if !ok {
			continue
		}
		if len(t) == 2 && t[0] == '-' && i+1 < len(c.operands) {
			switch t[1] {
			case 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'k', 'L', 'p', 'r', 's', 'S', 'u', 'w', 'x', 'O', 'G', 'N':
				next := c.operands[i+1]
				c.access(ListDir, next.val, next.arg, false, true)
			}
		}
		if (t == "-nt" || t == "-ot" || t == "-ef") && i > 0 && i+1 < len(c.operands) {
			for _, side := range []operand{c.operands[i-1], c.operands[i+1]} {
				c.access(ListDir, side.val, side.arg, false, true)
			}
		}
	}
}
