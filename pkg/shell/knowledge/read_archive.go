package knowledge

import (
	"slices"
	"strings"

	"mayi/pkg/shell/value"
)

// readCompress describes gzip and its kin: every file is replaced by one with
// another suffix, unless the result goes to standard output.
func readCompress(c *call) {
	ops := c.operands
	c.operands = nil
	c.apply()
	name := c.via()
	quiet := c.has("-l") && name != "lz4" || c.has("--list", "-t", "--test", "-h", "--help", "-V", "--version", "-c", "--stdout", "--to-stdout")
	unpack := strings.HasPrefix(name, "un") || strings.HasPrefix(name, "gun") || strings.HasPrefix(name, "bun") || c.has("-d", "--decompress", "--uncompress")
	tree := c.has("-r", "--recursive")
	for i, op := range ops {
		if isDash(op.val) {
			c.stdin(StdinData)
			continue
		}
		if i == 1 && name == "lz4" && !quiet && !c.has("-m") {
			c.access(WriteFile, op.val, op.arg, false, false) // the result's name
		}
		c.access(ReadFile, op.val, op.arg, tree, false)
		if quiet {
			continue
		}
		switch {
		case c.has("-o"):
		case tree:
			c.access(WriteFile, op.val, op.arg, true, false)
			// The operand may be a plain file all the same.
			if text, ok := op.val.Text(); !ok || !dirByName(text) && !strings.HasSuffix(text, "/") {
				if unpack {
					c.access(WriteFile, withoutSuffix(op.val), op.arg, false, true)
				} else {
					c.role(role{kind: rolePrefix}, value.Concat(op.val, value.Exact(".")), op.arg, false)
				}
			}
		case unpack:
			c.access(WriteFile, withoutSuffix(op.val), op.arg, false, false)
		default:
			c.role(role{kind: rolePrefix}, value.Concat(op.val, value.Exact(".")), op.arg, false)
		}
		keeps := c.has("-k", "--keep") || strings.Contains(name, "zst") || name == "lz4" || name == "brotli"
		if !keeps || c.has("--rm") {
			c.access(DeleteFile, op.val, op.arg, tree, false)
		}
	}
	if len(ops) == 0 {
		c.stdin(StdinData)
	}
}

// withoutSuffix drops what follows the last dot of a name; where that is not
// known, anything next to the file may be meant.
func withoutSuffix(v value.Value) value.Value {
	text, ok := v.Text()
	if !ok {
		return value.Unknown("the name without its suffix")
	}
	k := strings.LastIndexByte(text, '.')
	if k <= strings.LastIndexByte(text, '/')+1 {
		return value.Concat(v, value.Unknown("a suffix"))
	}
	base, suffix := text[:k], text[k:]
	if suffix == ".tgz" || suffix == ".tbz" || suffix == ".tbz2" || suffix == ".txz" || suffix == ".tzst" {
		base += ".tar"
	}
	return value.Exact(base)
}

// readZip describes zip, which gives an archive without a suffix one.
func readZip(c *call) {
	c.apply()
	if len(c.operands) > 0 {
		c.withZip(c.operands[0], ReadFile, WriteFile)
	}
}

// readZipinfo describes zipinfo, which looks for the archive under a second
// name.
func readZipinfo(c *call) {
	c.apply()
	if len(c.operands) > 0 {
		c.withZip(c.operands[0], ReadFile)
	}
}

// withZip notes that the archive may be meant with the suffix that its name
// lacks.
func (c *call) withZip(op operand, kinds ...AccessKind) {
	text, ok := op.val.Text()
	if !ok || text == "-" || strings.HasSuffix(text, ".zip") {
		return
	}
	for _, k := range kinds {
		c.access(k, value.Exact(text+".zip"), op.arg, false, true)
	}
}

// readUnzip describes unzip: an archive, members, and where they go.
func readUnzip(c *call) {
	ops := c.operands
	c.operands = nil
	c.apply()
	if len(ops) == 0 {
		return
	}
	c.access(ReadFile, ops[0].val, ops[0].arg, false, false)
	c.withZip(ops[0], ReadFile)
	for _, s := range c.seen {
		// What stands behind the archive is a member of it, but for -d and -x.
		if s.arg < ops[0].arg && slices.Contains([]string{"-l", "-v", "-t", "-z", "-Z", "-p", "-c", "-h", "-hh"}, s.opt.name) {
			return
		}
	}
	dir := value.Exact(".")
	if s, ok := c.last("-d"); ok && s.has {
		dir = s.val
	}
	if c.has("-:") {
		c.unread("the archive says where its files are written")
	}
	if len(ops) == 1 || c.has("-j", "-x") {
		c.access(WriteFile, dir, -1, true, true)
		return
	}
	for _, m := range ops[1:] {
		if text, ok := m.val.Text(); !ok || strings.ContainsAny(text, "*?[") {
			c.access(WriteFile, dir, -1, true, true)
			return
		}
		c.access(WriteFile, under(dir, m.val), m.arg, true, true)
	}
}
