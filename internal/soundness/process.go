package soundness

import (
	"strconv"
	"strings"
)

// process is one traced process.
type process struct {
	parent int
	born   int // the place in the trace where its parent made it
	images []image
}

// image is a program that a process became.
type image struct {
	at   int
	path string
	argv string // its arguments, as strace writes them
}

// family is the tree of the processes of one run.
type family struct {
	procs map[int]*process
	// root is the shell that runs the script and start its place in the trace.
	root, start int
}

// newFamily finds who made whom and who became what. The shell that was asked
// to run the script is the first process to become shellPath.
func newFamily(calls []call, shellPath string) *family {
	f := &family{procs: map[int]*process{}, root: -1}
	for i := range calls {
		c := &calls[i]
		switch c.name {
		case "clone", "clone3", "fork", "vfork":
			if child := childOf(c.result); child > 0 {
				p := f.get(child)
				p.parent, p.born = c.pid, c.at
			}
		case "execve", "execveat":
			if c.failed() != "" || c.result == "" {
				continue
			}
			path := execPath(c)
			p := f.get(c.pid)
			p.images = append(p.images, image{c.at, path, argvOf(c)})
			if f.root < 0 && path == shellPath {
				f.root, f.start = c.pid, c.at
				p.images = p.images[:0] // what the sandbox was is not the script's
			}
		}
	}
	return f
}

func (f *family) get(pid int) *process {
	p := f.procs[pid]
	if p == nil {
		p = &process{}
		f.procs[pid] = p
	}
	return p
}

// childOf is the process that a clone returned, as the tracer numbers it.
func childOf(result string) int {
	if _, outer, ok := strings.Cut(result, "/* "); ok {
		result = outer
	}
	first, _, _ := strings.Cut(result, " ")
	n, err := strconv.Atoi(first)
	if err != nil {
		return -1
	}
	return n
}

// execPath is the path that an execve names.
func execPath(c *call) string {
	i := 0
	if c.name == "execveat" {
		i = 1
	}
	if i >= len(c.args) {
		return ""
	}
	path, _ := quoted(c.args[i])
	return path
}

// argvOf is the text of the arguments of an execve.
func argvOf(c *call) string {
	i := 1
	if c.name == "execveat" {
		i = 2
	}
	if i >= len(c.args) {
		return ""
	}
	return c.args[i]
}

// chain lists the programs that a process was, at a place in the trace, and
// that those were which made it: the latest first. The shell itself is not in
// it, so that an empty chain means the shell's own work.
func (f *family) chain(pid, at int) []image {
	var out []image
	for hops := 0; hops < 100; hops++ {
		p := f.procs[pid]
		if p == nil {
			return out
		}
		for i := len(p.images) - 1; i >= 0; i-- {
			if p.images[i].at <= at {
				out = append(out, p.images[i])
			}
		}
		if pid == f.root || p.parent == 0 {
			return out
		}
		pid, at = p.parent, p.born
	}
	return out
}
