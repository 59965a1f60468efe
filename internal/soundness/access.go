package soundness

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// kind is what was done.
type kind uint8

const (
	reads    kind = iota
	lists         // the names in a folder
	writes        // made, changed, renamed, removed
	executes      // became this program
	connects
)

func (k kind) String() string {
	return [...]string{"read", "list", "write", "run", "connect"}[k]
}

// access is one thing that a run did.
type access struct {
	kind kind
	// path is the name that was used, absolute; for connects the address.
	path string
	// names are all names that this may be known by: the one that was used,
	// and where it led.
	names []string
	// real is where it led, where that is another name than path.
	real string
	// programs is the chain of programs that did it, the latest first.
	programs []image
	call     string // the system call
	err      string // the error's name where it failed
	fresh    bool   // the file is made by this call, and was not there before
	made     bool   // made by this call or emptied
}

// observer turns system calls into accesses.
type observer struct {
	family *family
	// resolve follows a name on the tree as it was before the run.
	resolve func(string) string
	cwd     map[int]string
	out     []access
}

// observe lists what the script's processes did.
func observe(calls []call, f *family, resolve func(string) string) []access {
	o := &observer{family: f, resolve: resolve, cwd: map[int]string{}}
	for i := range calls {
		c := &calls[i]
		if c.at <= f.start || !f.inScript(c.pid) {
			o.follow(c)
			continue
		}
		o.follow(c)
		o.call(c)
	}
	return o.out
}

// inScript reports whether a process is the script's shell or comes from it.
func (f *family) inScript(pid int) bool {
	for hops := 0; hops < 100; hops++ {
		if pid == f.root {
			return true
		}
		p := f.procs[pid]
		if p == nil || p.parent == 0 {
			return false
		}
		pid = p.parent
	}
	return false
}

// follow keeps the working directory of every process.
func (o *observer) follow(c *call) {
	for _, a := range c.args {
		if strings.HasPrefix(a, "AT_FDCWD<") {
			o.cwd[c.pid] = named(a)
		}
	}
	if c.failed() != "" || len(c.args) == 0 {
		return
	}
	switch c.name {
	case "chdir":
		if p, ok := quoted(c.args[0]); ok {
			o.cwd[c.pid] = o.real(o.absolute(c.pid, p))
		}
	case "fchdir":
		o.cwd[c.pid] = named(c.args[0])
	}
}

// real is where a name leads now that the run is over; links that are gone by
// now count as names.
func (o *observer) real(name string) string {
	if r, err := filepath.EvalSymlinks(name); err == nil {
		return r
	}
	return path.Clean(name)
}

// directory is where a process is; one that has not said so is where its
// parent is.
func (o *observer) directory(pid int) string {
	for hops := 0; hops < 100; hops++ {
		if d, ok := o.cwd[pid]; ok {
			return d
		}
		p := o.family.procs[pid]
		if p == nil || p.parent == 0 {
			break
		}
		pid = p.parent
	}
	return "/"
}

func (o *observer) absolute(pid int, name string) string {
	if strings.HasPrefix(name, "/") {
		return name
	}
	return o.directory(pid) + "/" + name
}

// at is the absolute name made of a directory descriptor and a name.
func (o *observer) at(c *call, dir, name string) (string, bool) {
	p, ok := quoted(name)
	if !ok {
		return "", false
	}
	if strings.HasPrefix(p, "/") || dir == "" {
		return o.absolute(c.pid, p), true
	}
	base := named(dir)
	if base == "" {
		return o.absolute(c.pid, p), true
	}
	if p == "" {
		return base, true
	}
	return base + "/" + p, true
}

// add notes an access. kernel is where the kernel says that it led.
func (o *observer) add(c *call, k kind, name, kernel string) *access {
	a := access{kind: k, path: path.Clean(name), call: c.name, err: c.failed(), programs: o.family.chain(c.pid, c.at)}
	for _, n := range []string{a.path, kernel, o.resolve(name), o.parentResolved(name)} {
		if n != "" && !slices.Contains(a.names, n) {
			a.names = append(a.names, n)
		}
	}
	for _, n := range a.names[1:] {
		if a.names[0] != n && a.real == "" {
			a.real = n
		}
	}
	o.out = append(o.out, a)
	return &o.out[len(o.out)-1]
}

// by is the name of the program that did it, "" for the shell itself.
func (a *access) by() string {
	if len(a.programs) == 0 {
		return ""
	}
	return path.Base(a.programs[0].path)
}

// byShell reports whether a shell did it, the script's own or another.
func (a *access) byShell() bool {
	by := a.by()
	return by == "" || slices.Contains(shells, by)
}

// shells are the programs that redirect, expand globs and start commands.
var shells = []string{"sh", "bash", "dash"}

// parentResolved follows a name's folders, and leaves the last part alone: what
// unlink, rename and mkdir do.
func (o *observer) parentResolved(name string) string {
	name = strings.TrimRight(name, "/")
	if base := path.Base(name); base != "." && base != ".." && name != "" {
		return path.Join(o.resolve(path.Dir(name)), base)
	}
	return ""
}

// isFolder reports whether a name is a folder, now that the run is over.
func isFolder(name string) bool {
	st, err := os.Stat(name)
	return err == nil && st.IsDir()
}
