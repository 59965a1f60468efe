//go:build linux && (amd64 || arm64)

package sandbox

import (
	"os"
	"time"

	"golang.org/x/sys/unix"

	"mayi/internal/proc"
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
	all, _ := proc.All() // what cannot be read is found in another round
	below := map[int][]int{}
	for _, p := range all {
		below[p.Parent] = append(below[p.Parent], p.PID)
	}
	var out []int
	for todo := []int{top}; len(todo) > 0; {
		kids := below[todo[0]]
		out, todo = append(out, kids...), append(todo[1:], kids...)
	}
	return out
}
