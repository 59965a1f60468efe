//go:build linux && (amd64 || arm64)

package sandbox

import (
	"strconv"
	"strings"
)

// foreign says whether a path lies below the /proc folder of a process that is
// no part of the job. The kernel would refuse the job most of what is there,
// but it is the supervisor that opens, and for it the kernel would not.
func (b *broker) foreign(t target, p string) bool {
	rest, ok := strings.CutPrefix(p, "/proc/")
	if !ok {
		return false
	}
	name, _, _ := strings.Cut(rest, "/")
	pid, err := strconv.Atoi(name)
	if err != nil {
		return false
	}
	if b.own {
		return pid == 1 // the helper
	}
	return pid != t.leader()
}
