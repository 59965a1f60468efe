//go:build linux && (amd64 || arm64)

package sandbox

import (
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// killOrphans ends every descendant of this process where there is no pid
// namespace to end. The helper is their subreaper, so that whoever loses its
// parent becomes the helper's child.
func killOrphans() {
	self := os.Getpid()
	for i := 0; i < 200; i++ {
		kids := childrenOf(self)
		if len(kids) == 0 {
			return
		}
		for _, p := range kids {
			_ = unix.Kill(p, unix.SIGKILL)
		}
		time.Sleep(time.Millisecond)
	}
}

func childrenOf(parent int) []int {
	all, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var out []int
	for _, e := range all {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		b, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue
		}
		s := string(b)
		f := strings.Fields(s[strings.LastIndexByte(s, ')')+1:])
		if len(f) > 1 && f[0] != "Z" && f[1] == strconv.Itoa(parent) {
			out = append(out, pid)
		}
	}
	return out
}
