package soundness

import "strings"

// tracedCalls are the system calls that strace reports: those that open, make,
// change or remove a file, start a program, or reach out, and those that say
// who is who and where.
const tracedCalls = "open,openat,openat2,creat,getdents64,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,rmdir," +
	"link,linkat,symlink,symlinkat,mknod,mknodat,truncate,chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat," +
	"utime,utimes,utimensat,futimesat,setxattr,lsetxattr,fsetxattr,removexattr,lremovexattr,fremovexattr," +
	"execve,execveat,connect,sendto,chdir,fchdir,clone,clone3,fork,vfork"

// call turns one system call into accesses.
func (o *observer) call(c *call) {
	arg := func(i int) string {
		if i < len(c.args) {
			return c.args[i]
		}
		return ""
	}
	write := func(dir, name string) {
		if p, ok := o.at(c, dir, name); ok {
			o.add(c, writes, p, "")
		}
	}
	switch c.name {
	case "open":
		o.open(c, "", arg(0), arg(1))
	case "openat", "openat2":
		o.open(c, arg(0), arg(1), arg(2))
	case "creat":
		o.open(c, "", arg(0), "O_WRONLY|O_CREAT|O_TRUNC")
	case "getdents64":
		if p := named(arg(0)); p != "" && c.failed() == "" {
			o.add(c, lists, p, p)
		}
	case "unlink", "rmdir", "truncate", "chmod", "chown", "lchown", "utime", "utimes", "mknod",
		"setxattr", "lsetxattr", "removexattr", "lremovexattr":
		write("", arg(0))
	case "mkdir", "mkdirat":
		if c.failed() == "EEXIST" {
			return // nothing is made
		}
		if c.name == "mkdir" {
			write("", arg(0))
		} else {
			write(arg(0), arg(1))
		}
	case "unlinkat", "mknodat", "fchmodat", "fchownat", "futimesat":
		write(arg(0), arg(1))
	case "utimensat":
		if _, ok := quoted(arg(1)); ok {
			write(arg(0), arg(1))
		} else {
			o.descriptor(c, arg(0))
		}
	case "fchmod", "fchown", "fsetxattr", "fremovexattr":
		o.descriptor(c, arg(0))
	case "rename", "link":
		o.pair(c, "", arg(0), "", arg(1))
	case "renameat", "renameat2", "linkat":
		o.pair(c, arg(0), arg(1), arg(2), arg(3))
	case "symlink":
		write("", arg(1))
	case "symlinkat":
		write(arg(1), arg(2))
	case "execve", "execveat":
		if c.failed() == "" && c.result != "" {
			o.add(c, executes, o.absolute(c.pid, execPath(c)), "")
		}
	case "connect":
		o.connect(c, arg(1))
	case "sendto":
		o.connect(c, arg(4))
	}
}

// descriptor is a change of what an open descriptor stands for.
func (o *observer) descriptor(c *call, fd string) {
	if p := named(fd); strings.HasPrefix(p, "/") {
		o.add(c, writes, p, p)
	}
}

// pair is a rename, which changes both names, or a hard link, which makes the
// second and lets the first be changed through it.
func (o *observer) pair(c *call, fromDir, from, toDir, to string) {
	if p, ok := o.at(c, fromDir, from); ok {
		k := writes
		if strings.HasPrefix(c.name, "link") {
			k = reads
		}
		o.add(c, k, p, "")
	}
	if p, ok := o.at(c, toDir, to); ok {
		a := o.add(c, writes, p, "")
		a.fresh = strings.HasPrefix(c.name, "link") || len(c.args) > 4 && strings.Contains(c.args[4], "NOREPLACE")
	}
}

// open tells reading from writing by the flags.
func (o *observer) open(c *call, dir, name, flags string) {
	p, ok := o.at(c, dir, name)
	if !ok || strings.Contains(flags, "O_PATH") {
		return
	}
	kernel := ""
	if c.failed() == "" {
		kernel = named(c.result)
	}
	made := strings.Contains(flags, "O_CREAT") || strings.Contains(flags, "O_TRUNC") || strings.Contains(flags, "O_TMPFILE")
	both := strings.Contains(flags, "O_RDWR")
	if made || both || strings.Contains(flags, "O_WRONLY") {
		a := o.add(c, writes, p, kernel)
		a.fresh = strings.Contains(flags, "O_EXCL") || strings.Contains(flags, "O_TMPFILE")
		a.made = a.fresh || strings.Contains(flags, "O_TRUNC")
		if both && !made {
			o.add(c, reads, p, kernel)
		}
		return
	}
	// The names in a folder count where they are read (getdents).
	if strings.Contains(flags, "O_DIRECTORY") || isFolder(kernel) {
		return
	}
	o.add(c, reads, p, kernel)
}

// connect is an attempt to reach an address.
func (o *observer) connect(c *call, addr string) {
	address := ""
	switch {
	case strings.Contains(addr, "AF_INET6"):
		address = inside(addr, `inet_pton(AF_INET6, "`)
	case strings.Contains(addr, "AF_INET"):
		address = inside(addr, `inet_addr("`)
	case strings.Contains(addr, "AF_UNIX"):
		address = "unix:" + inside(addr, `sun_path="`)
	default:
		return // no address, or the kernel's own
	}
	a := o.add(c, connects, "/", "")
	a.path, a.names = address, []string{address}
}

// inside is the text between a mark and the next quote.
func inside(text, mark string) string {
	_, rest, _ := strings.Cut(text, mark)
	rest, _, _ = strings.Cut(rest, `"`)
	return rest
}
