// Package proc reads what the kernel says of processes.
package proc

import (
	"bytes"
	"errors"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"mayi/internal/filelock"
)

// Stat is the part of /proc/PID/stat that somebody needs, as proc_pid_stat(5)
// has it.
type Stat struct {
	PID, Parent, Group, Session int
	Terminal                    uint32 // the device number; 0 without one
	Foreground                  int    // the group that has the terminal
	State                       byte   // 'Z' and 'X' are those that have ended
	Started                     uint64 // in clock ticks since the machine's start
}

// Read tells of one process. A process that is gone is [os.ErrNotExist] or
// ESRCH.
func Read(pid int) (Stat, error) {
	f, err := filelock.Open("/proc/"+strconv.Itoa(pid)+"/stat", os.O_RDONLY)
	if err != nil {
		return Stat{}, err
	}
	defer f.Close()
	var b [1024]byte // the kernel gives what is asked for here at once
	n, err := f.Read(b[:])
	if err != nil {
		return Stat{}, err
	}
	return parse(pid, b[:n])
}

// Gone says whether an error of [Read] means that there is no such process.
func Gone(err error) bool { return errors.Is(err, os.ErrNotExist) || errors.Is(err, unix.ESRCH) }

func parse(pid int, b []byte) (Stat, error) {
	// The name in parentheses may hold anything; what follows the last one does not.
	f := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	if len(f) < 20 || len(f[0]) != 1 {
		return Stat{}, errors.New("process " + strconv.Itoa(pid) + ": its state cannot be read")
	}
	s := Stat{PID: pid, State: f[0][0]}
	var terminal int
	for i, to := range map[int]*int{1: &s.Parent, 2: &s.Group, 3: &s.Session, 4: &terminal, 5: &s.Foreground} {
		n, err := strconv.Atoi(string(f[i]))
		if err != nil {
			return Stat{}, err
		}
		*to = n
	}
	s.Terminal = uint32(int32(terminal)) // it is printed as a signed number
	var err error
	s.Started, err = strconv.ParseUint(string(f[19]), 10, 64)
	return s, err
}

// All tells of every process that there is. One that ends meanwhile is left
// out; one that cannot be read is an error, and the others are given all the
// same.
func All() ([]Stat, error) {
	names, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var out []Stat
	var bad error
	for _, n := range names {
		pid, err := strconv.Atoi(n.Name())
		if err != nil {
			continue
		}
		s, err := Read(pid)
		switch {
		case err == nil:
			out = append(out, s)
		case !Gone(err):
			bad = errors.Join(bad, err)
		}
	}
	return out, bad
}
