package tools

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
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

// stat is the part of /proc/PID/stat that is needed here.
type stat struct {
	pid, parent, group, session, foreground int
	state                                   byte
}

func readStat(pid int) (stat, bool) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return stat{}, false
	}
	// The name in parentheses may hold anything.
	i := bytes.LastIndexByte(b, ')')
	if i < 0 {
		return stat{}, false
	}
	f := strings.Fields(string(b[i+1:]))
	if len(f) < 6 {
		return stat{}, false
	}
	s := stat{pid: pid, state: f[0][0]}
	for k, to := range []*int{&s.parent, &s.group, &s.session, nil, &s.foreground} {
		if to != nil {
			*to, _ = strconv.Atoi(f[k+1])
		}
	}
	return s, true
}

func processes() []stat {
	d, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return nil
	}
	var out []stat
	for _, n := range names {
		if pid, err := strconv.Atoi(n); err == nil {
			if s, ok := readStat(pid); ok {
				out = append(out, s)
			}
		}
	}
	return out
}

// jobOf returns the living processes of a job, the leader excepted: those of
// its session or group, those that descend from it, and those that carry its
// mark in their environment.
func jobOf(pid int, job string) []int {
	all := processes()
	parent := make(map[int]int, len(all))
	for _, s := range all {
		parent[s.pid] = s.parent
	}
	self := os.Getpid()
	var out []int
	for _, s := range all {
		if s.pid == pid || s.pid == self || s.state == 'Z' || s.state == 'X' {
			continue
		}
		if s.session == pid || s.group == pid || descends(s.pid, pid, parent) || marked(s.pid, job) {
			out = append(out, s.pid)
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
