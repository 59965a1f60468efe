package knowledge

import (
	"strings"

	"mayi/pkg/shell/value"
)

// role applies one word in its role.
func (c *call) role(r role, v value.Value, arg int, recursive bool) {
	tree := r.tree || recursive
	dash := isDash(v) && arg >= 0
	switch r.kind {
	case roleText:
	case roleRead:
		if dash {
			c.stdin(StdinData)
			return
		}
		c.access(ReadFile, v, arg, tree, r.may)
	case roleList:
		c.access(ListDir, v, arg, tree, r.may)
	case roleWrite:
		if dash {
			return
		}
		c.access(WriteFile, v, arg, tree, r.may)
	case roleUpdate:
		if dash {
			c.stdin(StdinData)
			return
		}
		c.access(ReadFile, v, arg, tree, r.may)
		c.access(WriteFile, v, arg, tree, r.may)
	case roleDelete:
		c.access(DeleteFile, v, arg, tree, r.may)
		c.linkItself(1)
	case roleMove:
		c.access(ReadFile, v, arg, true, r.may)
		c.access(DeleteFile, v, arg, true, r.may)
		c.linkItself(2)
	case rolePrefix:
		// The suffix that the program adds holds no slash.
		c.access(WriteFile, value.Concat(v, value.Pattern("*")), arg, false, true)
	case roleDest:
		c.dest(v, arg, tree)
	case roleInto:
		c.access(WriteFile, v, arg, true, true)
	case roleTarget:
		c.into(v, arg, tree)
	case roleCd:
		c.chdir(v, arg)
	case roleKey:
		c.key(v, arg)
	case roleData:
		c.data(v, arg)
	default:
		c.roleOut(r, v, arg)
	}
}

// roleOut applies the roles that reach beyond files: network, code, commands.
func (c *call) roleOut(r role, v value.Value, arg int) {
	switch r.kind {
	case roleURL, roleHost:
		c.fileURL(v, arg)
		c.net(false, v, arg)
	case roleURLOut, roleHostOut:
		c.net(true, v, arg)
	case roleRemote, roleRemoteOut:
		c.remote(v, arg, r.kind == roleRemoteOut, r.tree)
	case roleShell:
		c.use.Runs = append(c.use.Runs, Run{Kind: RunScript, Script: v, Via: c.via()})
	case roleProgram:
		c.use.Runs = append(c.use.Runs, Run{Kind: RunWords, Words: []value.Value{v}, MoreArgs: true, Via: c.via()})
	case roleCommand:
		c.command(arg, r.arg)
	case roleScript:
		c.script(arg, r.arg)
	case roleCode:
		c.use.Inline = append(c.use.Inline, Inline{Language: r.arg, Code: v})
		if code, ok := v.Text(); ok {
			c.glean(r.arg, code)
		}
	case roleCodeFile:
		if isDash(v) {
			c.use.Stdin = StdinCode
			return
		}
		c.access(RunFile, v, arg, false, r.may)
		c.use.Workspace = "runs the file " + v.String()
	case roleHidden:
		if isDash(v) {
			c.use.Stdin = StdinCode
		} else {
			c.access(ReadFile, v, arg, false, r.may)
		}
		c.unread("the file " + v.String() + " steers the program and is not read")
	case roleLoad:
		c.access(RunFile, v, arg, false, r.may)
		c.unread("loads code from " + v.String())
	case rolePaths:
		if isDash(v) {
			c.use.Stdin = StdinPaths
		} else {
			c.access(ReadFile, v, arg, false, r.may)
		}
		c.unread("the names of the files stand in " + v.String())
	case roleAssign:
		c.assignment(v)
	case roleExec:
		c.use.Executes = r.arg
	case roleMount:
		c.mount(v, arg)
	case roleRepository, roleRepositoryOut:
		c.repository(v, arg, r.kind == roleRepositoryOut)
	case roleRev:
		c.rev(v, arg)
	case roleGitDir:
		c.gitDir(v, arg)
	case roleGitConfig:
		c.gitConfig(v)
	case roleFileURL:
		c.fileURL(v, arg)
	case roleGitInit:
		c.gitInit(v, arg)
	case rolePathspec:
		c.pathspec(v, arg)
	case roleSources:
		c.rewrites(v, arg, strings.Split(r.arg, "-"))
	case roleArgument:
		c.argument(v, arg)
	case roleGoFlags:
		c.goFlags(v)
	default:
		why := r.arg
		if why == "" {
			why = "its meaning is not known"
		}
		c.unread(v.String() + ": " + why)
	}
}

func isDash(v value.Value) bool {
	t, ok := v.Text()
	return ok && t == "-"
}

// assignment notes NAME=VALUE.
func (c *call) assignment(v value.Value) {
	head := v.Prefix()
	name, _, ok := strings.Cut(head, "=")
	if !ok {
		c.unread("a variable is not known before it runs: " + v.String())
		return
	}
	c.use.Env = append(c.use.Env, Assign{Name: name, Value: cut(v, len(name)+1)})
}

// key reads a key=value operand.
func (c *call) key(v value.Value, arg int) {
	head := v.Prefix()
	k, _, ok := strings.Cut(head, "=")
	if r, known := c.table.keys[k]; ok && known {
		c.role(r, cut(v, len(k)+1), arg, false)
		return
	}
	c.unread("unknown operand " + v.String())
}

// data is text, or @file.
func (c *call) data(v value.Value, arg int) {
	head := v.Prefix()
	_, exact := v.Text()
	switch {
	case strings.HasPrefix(head, "@"):
		c.role(role{kind: roleRead}, cut(v, 1), arg, false)
	case head == "" && !exact:
		c.access(ReadFile, v, arg, false, true)
	}
}

// remote is a local path, or host:path (rsync, scp), or a URL.
func (c *call) remote(v value.Value, arg int, out, tree bool) {
	head := v.Prefix()
	_, exact := v.Text()
	colon, slash := strings.IndexByte(head, ':'), strings.IndexByte(head, '/')
	if colon > 0 && (slash < 0 || colon < slash) {
		c.net(out, v, arg)
		return
	}
	if !exact && slash < 0 && colon < 0 && !v.HasGlob() {
		c.net(out, v, arg) // may be either
	}
	if out {
		c.access(WriteFile, v, arg, true, false)
		return
	}
	c.access(ReadFile, v, arg, tree, false)
}

// mount is what a container sees of this machine: host:container[:ro], or
// type=bind,source=host,…; a name without a slash is a volume.
func (c *call) mount(v value.Value, arg int) {
	text, ok := v.Text()
	if !ok {
		head := v.Prefix()
		if !strings.HasPrefix(head, "/") && !strings.HasPrefix(head, ".") {
			c.unread("what is mounted is not known: " + v.String())
			return
		}
		c.access(ReadFile, v, arg, true, false)
		c.access(WriteFile, v, arg, true, false)
		return
	}
	host, options, _ := strings.Cut(text, ":")
	readonly := false
	if strings.Contains(text, "=") && !strings.HasPrefix(text, "/") {
		host, options = "", ""
		for _, kv := range strings.Split(text, ",") {
			k, val, _ := strings.Cut(kv, "=")
			switch k {
			case "source", "src":
				host = val
			case "readonly", "ro":
				readonly = val == "" || val == "true" || val == "1"
			}
		}
	} else if _, flags, ok := strings.Cut(options, ":"); ok {
		for _, f := range strings.Split(flags, ",") {
			readonly = readonly || f == "ro"
		}
	}
	if !strings.HasPrefix(host, "/") && !strings.HasPrefix(host, ".") && !strings.HasPrefix(host, "~") {
		return
	}
	c.access(ReadFile, value.Exact(host), arg, true, false)
	if !readonly {
		c.access(WriteFile, value.Exact(host), arg, true, false)
	}
}
