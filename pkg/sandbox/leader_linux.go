//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Leader is the process number of the job's own program as it is seen outside,
// or 0 where it has ended or cannot be found.
func (j *Job) Leader() int {
	j.mu.Lock()
	inside, ended := j.leader, j.ended
	j.mu.Unlock()
	switch {
	case ended || inside == 0:
		return 0
	case !j.tree:
		return inside
	}
	return findInside(j.helper.pid, inside)
}

// findInside looks among what descends from the helper for the process that has
// the given number in the helper's own namespace.
func findInside(helper, inside int) int {
	names, err := os.ReadDir("/proc")
	if err != nil {
		return 0
	}
	parents := map[int]int{}
	var found []int
	for _, n := range names {
		pid, err := strconv.Atoi(n.Name())
		if err != nil {
			continue
		}
		parent, within := numbersOf(pid)
		parents[pid] = parent
		if within == inside {
			found = append(found, pid)
		}
	}
	for _, pid := range found {
		for at := pid; at > 1; at = parents[at] {
			if at == helper && pid != helper {
				return pid
			}
		}
	}
	return 0
}

// numbersOf reads a process's parent and its number in its own namespace.
func numbersOf(pid int) (parent, inside int) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0
	}
	for _, line := range strings.Split(string(b), "\n") {
		name, rest, _ := strings.Cut(line, ":")
		f := strings.Fields(rest)
		switch {
		case len(f) == 0:
		case name == "PPid":
			parent, _ = strconv.Atoi(f[0])
		case name == "NSpid" && len(f) > 1:
			inside, _ = strconv.Atoi(f[len(f)-1])
		}
	}
	return parent, inside
}
