package knowledge

import (
	"strings"

	"mayi/pkg/shell/value"
)

// oldStyle turns "tar czf a b" into "tar -c -z -f a b". Positions in argv are
// then no longer those of the words.
func (c *call) oldStyle() bool {
	if len(c.argv) < 2 {
		return false
	}
	text, ok := c.argv[1].Text()
	if !ok || text == "" || text[0] == '-' {
		if !ok && !strings.HasPrefix(c.argv[1].Prefix(), "-") {
			c.unread("the first word of tar is not known")
		}
		return false
	}
	argv, rest := []value.Value{c.argv[0]}, c.argv[2:]
	for i := range len(text) {
		argv = append(argv, value.Exact("-"+text[i:i+1]))
		if o := c.table.options["-"+text[i:i+1]]; o != nil && o.takes && !o.optional && len(rest) > 0 {
			argv, rest = append(argv, rest[0]), rest[1:]
		}
	}
	c.argv, c.at = append(argv, rest...), 1
	c.seen, c.operands = nil, nil
	c.parse()
	for i := range c.operands {
		c.operands[i].after = true
	}
	return true
}

// detach forgets where words stood, after argv was rewritten.
func (u *Use) detach() {
	for i := range u.Accesses {
		u.Accesses[i].Arg = -1
	}
	for i := range u.Net {
		u.Net[i].Arg = -1
	}
}

// readTar describes tar in its modes.
func readTar(c *call) {
	if c.oldStyle() {
		defer c.use.detach()
	}
	ops := c.operands
	c.operands = nil
	c.apply()
	c.each(func(s seen) {
		t, ok := s.val.Text()
		if rest, runs := strings.CutPrefix(t, "exec="); runs {
			c.use.Runs = append(c.use.Runs, Run{Kind: RunScript, Script: value.Exact(rest), Via: "tar --checkpoint-action"})
		} else if !ok || strings.HasPrefix(t, "exec") {
			c.unread("tar's checkpoint action is not known")
		}
	}, "--checkpoint-action")
	create := c.has("-c", "--create", "-r", "--append", "-u", "--update", "-A", "--catenate", "--concatenate")
	extract := c.has("-x", "--extract", "--get")
	compare := c.has("-d", "--diff", "--compare")
	c.archives(create || c.has("--delete"), create && !c.has("-c", "--create") || c.has("--delete"))
	if !create && !extract && !compare {
		return
	}
	dirs := tarDirs{seen: c.seen}
	for _, op := range ops {
		c.dir = dirs.at(op.arg)
		switch {
		case create && c.has("-A", "--catenate", "--concatenate"):
			c.access(ReadFile, op.val, -1, false, false)
		case create:
			c.access(ReadFile, op.val, -1, true, false)
			if c.has("--remove-files") {
				c.access(DeleteFile, op.val, -1, true, false)
			}
		case compare:
			c.access(ReadFile, op.val, -1, true, false)
		}
	}
	c.dir = dirs.at(len(c.argv))
	if compare && len(ops) == 0 {
		c.access(ReadFile, value.Exact("."), -1, true, true)
	}
	if extract && !c.has("-O", "--to-stdout", "--to-command") {
		c.extract(ops)
	}
	c.dir = nil
}

// tarDirs follows the -C options, each of which holds for what stands behind.
type tarDirs struct {
	seen []seen
	dir  *value.Value
}

// at is the directory in force at index i of argv; i never goes back.
func (d *tarDirs) at(i int) *value.Value {
	for len(d.seen) > 0 && d.seen[0].arg < i {
		s := d.seen[0]
		d.seen = d.seen[1:]
		if !s.has || !s.opt.is("-C") && !s.opt.is("--directory") {
			continue
		}
		v := s.val
		if d.dir != nil {
			v = under(*d.dir, v)
		}
		d.dir = &v
	}
	return d.dir
}

// archives notes the archive files.
func (c *call) archives(write, read bool) {
	found := false
	c.each(func(s seen) {
		found = true
		text, _ := s.val.Text()
		switch {
		case isDash(s.val):
			if !write {
				c.stdin(StdinData)
			}
			return
		case strings.Contains(s.val.Prefix(), ":") && !c.has("--force-local") && !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "."):
			c.net(write, s.val, -1)
			c.unread("an archive on another host is reached by another program")
			return
		}
		if write {
			c.access(WriteFile, s.val, -1, false, false)
		}
		if !write || read {
			c.access(ReadFile, s.val, -1, false, false)
		}
	}, "-f", "--file")
	if !found && !write {
		c.stdin(StdinData)
	}
}

// extract notes what unpacking writes: anything below the directory, or the
// members that are named.
func (c *call) extract(members []operand) {
	if c.has("-P", "--absolute-names") {
		c.unread("the archive says where its files are written")
	}
	if s, ok := c.last("--one-top-level"); ok {
		if s.has {
			c.access(WriteFile, s.val, -1, true, true)
		} else {
			c.access(WriteFile, value.Unknown("a directory named like the archive"), -1, true, true)
		}
		return
	}
	if len(members) == 0 || c.has("--strip-components", "--transform", "--xform", "--wildcards", "-T", "--files-from", "-s") {
		c.access(WriteFile, value.Exact("."), -1, true, true)
		return
	}
	for _, m := range members {
		c.access(WriteFile, m.val, -1, true, true)
	}
}
