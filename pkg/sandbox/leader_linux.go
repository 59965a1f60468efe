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
	pid, ended := j.leader, j.ended
	j.mu.Unlock()
	switch {
	case ended:
		return 0
	case !j.tree:
		return pid
	}
	return firstChild(j.helper.pid)
}

// starting says that a helper has not told yet that it has started the program.
// A forked process 1 starts it without asking.
func (j *Job) starting() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.helper.raw == nil && j.leader == 0
}

// firstChild finds the first process that process 1 of the job's pid namespace
// has started; helper is that process, or one above it.
func firstChild(helper int) int {
	names, err := os.ReadDir("/proc")
	if err != nil {
		return 0
	}
	parents, inside := map[int]int{}, map[int]int{}
	for _, n := range names {
		if pid, err := strconv.Atoi(n.Name()); err == nil {
			parents[pid], inside[pid] = numbersOf(pid)
		}
	}
	first := 0
	for pid, parent := range parents {
		if inside[parent] != 1 || inside[pid] < 2 || first != 0 && inside[pid] >= inside[first] {
			continue
		}
		for at := parent; at > 1; at = parents[at] {
			if at == helper {
				first = pid
				break
			}
		}
	}
	return first
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
