package knowledge

import (
	"path"
	"slices"
	"strings"

	"mayi/pkg/shell/value"
)

// gitStore notes what git writes in its own directory, without the files that
// steer it (config, commondir, hooks, info), which only some sub-commands
// write and which their tables name.
func (c *call) gitStore() {
	c.access(WriteFile, value.Concat(value.Exact(".git/"), value.Pattern("[!chi]*")), -1, true, true)
	c.access(WriteFile, value.Concat(value.Exact(".git/index"), value.Pattern("*")), -1, false, true)
}

// worktree notes that any file of the work tree may be written or removed,
// but nothing in .git.
func (c *call) worktree(sweep Sweep) {
	if paths := c.named(); len(paths) > 0 {
		for _, op := range paths {
			c.access(WriteFile, op.val, op.arg, true, true)
			c.linkItself(1)
		}
		return
	}
	c.access(WriteFile, value.Exact("."), -1, true, true)
	c.use.Accesses[len(c.use.Accesses)-1].Sweep = sweep
}

// named are the files of the work tree that the call is limited to, for the
// sub-commands that take any; nil where that is more than plain names below the
// working directory.
func (c *call) named() []operand {
	command, _ := c.argv[c.at-1].Text()
	var out []operand
	for _, op := range c.operands {
		switch command {
		case "restore", "clean":
		case "checkout", "push": // git stash push
			if !c.dashes || !op.after {
				continue // a revision
			}
		default:
			return nil
		}
		t, ok := op.val.Text()
		if !ok || strings.HasPrefix(t, ":") || strings.ContainsAny(t, `*?[\`) || path.IsAbs(t) || !staysBelow(t) {
			return nil
		}
		out = append(out, op)
	}
	return out
}

// staysBelow: the name stands for something below the working directory.
func staysBelow(name string) bool {
	clean := path.Clean(name)
	return name != "" && clean != "." && clean != ".." && !strings.HasPrefix(clean, "../")
}

// rev is a revision, a path, or revision:path.
func (c *call) rev(v value.Value, arg int) {
	if t, ok := v.Text(); ok {
		if _, path, colon := strings.Cut(t, ":"); colon && path != "" {
			v = value.Exact(path)
		}
	}
	c.access(ReadFile, v, arg, false, true)
}

// pathspec names files of the work tree that are written, or a revision. What
// stays below the working directory is part of the work tree, which is noted
// as a whole.
func (c *call) pathspec(v value.Value, arg int) {
	text, ok := v.Text()
	text = strings.TrimPrefix(text, ":/") // the work tree's top
	if ok && !strings.HasPrefix(text, "/") && !slices.Contains(strings.Split(text, "/"), "..") {
		return
	}
	if _, unknown := v.HasUnknown(); !ok && !unknown && !rooted(v) && !strings.Contains(v.String(), "..") {
		return // a pattern does not climb
	}
	c.access(WriteFile, v, arg, true, true)
}

// gitDir is another repository's directory, whose settings git obeys.
func (c *call) gitDir(v value.Value, arg int) {
	c.access(ReadFile, v, arg, true, false)
	c.unread("git obeys the settings in " + v.String())
}

// repository is a URL, host:path, a path, or the name of a remote.
func (c *call) repository(v value.Value, arg int, out bool) {
	text, ok := v.Text()
	head := text
	if !ok {
		head = v.Prefix()
	}
	scheme, rest, url := strings.Cut(head, "://")
	colon, slash := strings.IndexByte(head, ':'), strings.IndexByte(head, '/')
	switch {
	case url && scheme == "file":
		c.localRepository(value.Exact(rest), arg, out)
	case url && (scheme == "http" || scheme == "https" || scheme == "ssh" || scheme == "git" || scheme == "ftp" || scheme == "ftps" || scheme == "git+ssh"):
		c.net(out, v, arg)
	case url || strings.Contains(head, "::"):
		c.net(out, v, arg)
		c.unread("git starts a helper for " + v.String())
	case colon > 0 && (slash < 0 || colon < slash):
		c.net(out, v, arg)
	case slash >= 0 || strings.HasPrefix(head, ".") || v.HasGlob():
		c.localRepository(v, arg, out)
	default:
		c.net(out, value.Unknown("the remote "+v.String()+" stands in git's settings"), arg)
	}
}

func (c *call) localRepository(v value.Value, arg int, out bool) {
	c.access(ReadFile, v, arg, true, false)
	if out {
		c.access(WriteFile, v, arg, true, true)
	}
}

// gitInit notes what git init makes in a directory.
func (c *call) gitInit(v value.Value, arg int) {
	c.access(WriteFile, under(v, value.Exact(".git")), arg, true, false)
	if t, ok := v.Text(); !ok || !dirByName(t) {
		c.access(WriteFile, v, arg, false, false)
	}
	if c.has("--bare") {
		c.access(WriteFile, v, arg, true, false)
	}
}

// readGitClone describes git clone, whose directory has a default.
func readGitClone(c *call) {
	c.apply()
	if len(c.operands) != 1 {
		return
	}
	text, ok := c.operands[0].val.Text()
	if !ok {
		c.access(WriteFile, value.Unknown("the name comes from the repository's"), -1, true, false)
		return
	}
	text = strings.TrimSuffix(strings.TrimRight(text, "/"), "/.git")
	text = text[strings.LastIndexAny(text, "/:")+1:]
	name := strings.TrimSuffix(strings.TrimSuffix(text, ".bundle"), ".git")
	if c.has("--bare", "--mirror") {
		name += ".git"
	}
	c.access(WriteFile, value.Exact(name), -1, true, false)
}

// readGitSymbolicRef describes git symbolic-ref, which shows what a name stands
// for, or changes it.
func readGitSymbolicRef(c *call) {
	c.apply()
	if len(c.operands) > 1 || c.has("-d", "--delete", "-m") {
		c.gitStore()
		c.use.Executes = "changes the repository's store"
	}
}

// readGitSettings describes git config: which file, and whether it is written.
func readGitSettings(c *call) {
	ops := c.operands
	c.operands = nil
	c.apply()
	words := make([]string, len(ops))
	for i, op := range ops {
		words[i], _ = op.val.Text()
	}
	writes := c.has("--add", "--replace-all", "--unset", "--unset-all", "--rename-section", "--remove-section", "-e", "--edit")
	if !writes && !c.has("--get", "--get-all", "--get-regexp", "--get-urlmatch", "-l", "--list", "--get-color", "--get-colorbool") && len(words) > 0 {
		switch words[0] {
		case "get", "list":
		case "set", "unset", "rename-section", "remove-section", "edit":
			writes = true
		default:
			writes = len(words) > 1
		}
	}
	kind := ReadFile
	if writes {
		kind = WriteFile
	}
	s, file := c.last("-f", "--file")
	switch {
	case file && s.has:
		c.access(kind, s.val, s.arg, false, false)
	case c.has("--global"):
		c.access(kind, home("/.gitconfig"), -1, false, false)
		c.access(kind, home("/.config/git/config"), -1, false, true)
	case c.has("--system"):
		c.access(kind, value.Exact("/etc/gitconfig"), -1, false, false)
	case writes:
		c.access(kind, value.Exact(".git/config"), -1, false, false)
		if c.has("--worktree") {
			c.access(kind, value.Exact(".git/config.worktree"), -1, false, false)
		}
	}
}
