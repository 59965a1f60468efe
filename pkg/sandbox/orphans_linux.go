//go:build linux && (amd64 || arm64)

package sandbox

import (
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// endAll ends every descendant. What loses its parent by that becomes a child of
// this process, so that there is nothing left when it has none.
func endAll() {
	for pause := 100 * time.Microsecond; ; pause = min(2*pause, 10*time.Millisecond) {
		for _, p := range descendants(os.Getpid()) {
			_ = unix.Kill(p, unix.SIGKILL)
		}
		for {
			pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
			if err == unix.ECHILD {
				return
			}
			if err == nil && pid <= 0 {
				break
			}
		}
		time.Sleep(pause)
	}
}

// descendants are the living processes below one.
func descendants(top int) []int {
	names, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	below := map[int][]int{}
	for _, n := range names {
		pid, err := strconv.Atoi(n.Name())
		if err != nil {
			continue
		}
		b, err := os.ReadFile("/proc/" + n.Name() + "/stat")
		if err != nil {
			continue
		}
		s := string(b)
		f := strings.Fields(s[strings.LastIndexByte(s, ')')+1:])
		if len(f) < 2 {
			continue
		}
		if parent, err := strconv.Atoi(f[1]); err == nil {
			below[parent] = append(below[parent], pid)
		}
	}
	var out []int
	for todo := []int{top}; len(todo) > 0; {
		kids := below[todo[0]]
		out, todo = append(out, kids...), append(todo[1:], kids...)
	}
	return out
}
