package tools

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"mayi/internal/proc"
)

// awaitExit blocks until the child has ended, without reaping it.
func awaitExit(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, syscall.EINTR) {
			return
		}
	}
}

// dirName names the opened directory for a child, so that it starts in the
// very directory that was checked.
func dirName(f *os.File, _ string) string { return fmt.Sprintf("/proc/self/fd/%d", f.Fd()) }

// jobOf returns the living processes of a job, the leader excepted: those of
// its session or group, those that descend from it, and those that carry its
// mark in their environment.
func jobOf(pid int, job string) []int {
	all, _ := proc.All()
	parent := make(map[int]int, len(all))
	for _, s := range all {
		parent[s.PID] = s.Parent
	}
	self := os.Getpid()
	var out []int
	for _, s := range all {
		if s.PID == pid || s.PID == self || s.State == 'Z' || s.State == 'X' {
			continue
		}
		if s.Session == pid || s.Group == pid || descends(s.PID, pid, parent) || marked(s.PID, job) {
			out = append(out, s.PID)
		}
	}
	return out
}

func descends(pid, from int, parent map[int]int) bool {
	for range len(parent) {
		if pid = parent[pid]; pid == from {
			return true
		}
		if pid <= 1 {
			return false
		}
	}
	return false
}

func marked(pid int, job string) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	return err == nil && bytes.Contains(b, []byte(jobVar+"="+job))
}

// signalJob signals the job's leader and members and returns how many members
// there are. sigNone only counts.
func signalJob(pid int, job string, sig syscall.Signal) int {
	members := jobOf(pid, job)
	if sig == sigNone {
		return len(members)
	}
	_ = syscall.Kill(-pid, sig)
	if sig == sigTerm {
		// A stopped program hears SIGTERM only once it goes on.
		_ = syscall.Kill(-pid, syscall.SIGCONT)
	}
	for _, m := range members {
		_ = syscall.Kill(m, sig)
		if sig == sigTerm {
			_ = syscall.Kill(m, syscall.SIGCONT)
		}
	}
	return len(members)
}
