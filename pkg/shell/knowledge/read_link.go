package knowledge

import (
	"strings"

	"mayi/pkg/shell/value"
)

// readLink describes ln: a hard link makes its source writable under a second
// name, a symbolic link leads elsewhere for everything that comes after it.
func readLink(c *call) {
	soft := c.has("-s", "--symbolic", "--symbolic-link")
	if s, ok := c.last("-t", "--target-directory"); ok && s.has {
		c.access(WriteFile, s.val, s.arg, false, false)
		c.links(c.operands, s.val, s.arg, soft, true)
		return
	}
	switch n := len(c.operands); n {
	case 0:
	case 1:
		c.links(c.operands, value.Exact("."), -1, soft, true)
	default:
		to := c.operands[n-1]
		c.links(c.operands[:n-1], to.val, to.arg, soft, c.operands[n-1].val.HasGlob())
		if to.val.HasGlob() {
			c.links(c.operands[n-1:], to.val, to.arg, soft, true)
		}
	}
}

// links notes one link for each source, at the name to or inside it.
func (c *call) links(from []operand, to value.Value, arg int, soft, inside bool) {
	for _, op := range from {
		if !soft {
			c.access(ReadFile, op.val, op.arg, false, false)
			c.access(WriteFile, op.val, op.arg, false, false)
		}
		target := op.val
		if soft {
			c.leads(to, target, op.arg, inside)
		}
		if c.has("-r", "--relative") && !rooted(target) {
			target = value.Unknown("the link is made relative")
		}
		if !inside {
			c.link(to, target, arg, soft, false)
		}
		if c.has("-T", "--no-target-directory") {
			continue
		}
		if name, ok := lastName(op.val); ok {
			c.link(under(to, name), target, arg, soft, true)
		} else {
			c.access(WriteFile, to, arg, true, true)
		}
	}
}

func (c *call) link(at, target value.Value, arg int, soft, may bool) {
	kind := WriteFile
	if soft {
		kind = MakeLink
	}
	c.access(kind, at, arg, false, may)
	if soft {
		c.use.Accesses[len(c.use.Accesses)-1].Target = target
	}
	c.backup(at, arg)
}

// leads notes where a symbolic link at the name to (or inside it) leads: from
// then on that place can be reached under another name.
func (c *call) leads(to, target value.Value, arg int, inside bool) {
	if !rooted(target) {
		dir, ok := to.Text()
		if !ok {
			return
		}
		if !inside {
			dir = dir[:strings.LastIndexByte(dir, '/')+1] + "."
		}
		target = under(value.Exact(dir), target)
	}
	c.access(ListDir, target, arg, false, true)
}

// backup notes the copy that -b and --backup keep of what was there.
func (c *call) backup(at value.Value, arg int) {
	if c.has("-b", "--backup") {
		c.role(role{kind: rolePrefix}, at, arg, false)
	}
}

// readCopy describes cp, which can make links instead of copies.
func readCopy(c *call) {
	if c.has("-s", "--symbolic-link") {
		readLink(c)
		return
	}
	c.apply()
}
