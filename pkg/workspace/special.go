package workspace

import "strings"

const (
	procCwd  = "/proc/self/cwd"
	procRoot = "/proc/self/root"
)

// isDevice reports whether the canonical name is that of a harmless standard
// device or stream. The names are taken literally, before any link: /dev/stdin
// is the stream, whatever this process's own standard input happens to be.
func isDevice(name string) bool {
	if !strings.HasPrefix(name, "/dev/") {
		return false
	}
	switch name[len("/dev/"):] {
	case "null", "zero", "full", "random", "urandom", "tty", "ptmx",
		"stdin", "stdout", "stderr", "fd/0", "fd/1", "fd/2":
		return true
	}
	return false
}

// procWay is how the resolver treats a name that means something else to every
// process.
type procWay uint8

const (
	// ordinary: look at the disk.
	ordinary procWay = iota
	// keepName: go on below the name without following it.
	keepName
	// neverFollow: following it here would say something about this process
	// instead of the one that is going to use it.
	neverFollow
	// leadsTo: the target is known without the disk.
	leadsTo
)

// proc classifies a canonical name in /proc or /dev/fd.
func (r *resolver) proc(here string) (procWay, string) {
	switch here {
	case "/proc/self", "/proc/thread-self", "/dev/fd":
		return keepName, ""
	case procRoot:
		return leadsTo, "/"
	case procCwd:
		if r.cwd == "" {
			return neverFollow, ""
		}
		return leadsTo, r.cwd
	}
	if strings.HasPrefix(here, "/dev/fd/") {
		return neverFollow, ""
	}
	rest, ok := strings.CutPrefix(here, "/proc/")
	if !ok {
		return ordinary, ""
	}
	first, _, below := strings.Cut(rest, "/")
	if below && (first == "self" || first == "thread-self" || digits(first)) {
		return neverFollow, ""
	}
	return ordinary, ""
}

func digits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
