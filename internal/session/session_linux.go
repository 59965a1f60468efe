package session

import (
	"bytes"
	"fmt"

	"golang.org/x/sys/unix"
)

// terminal reads what proc_pid_stat(5) says of the session leader.
func terminal() string {
	sid, err := unix.Getsid(0)
	if err != nil || sid <= 0 {
		return ""
	}
	stat, err := read(fmt.Sprintf("/proc/%d/stat", sid))
	if err != nil {
		return ""
	}
	// The command's name may hold anything; what follows its last ")" does not.
	i := bytes.LastIndexByte(stat, ')')
	fields := bytes.Fields(stat[i+1:])
	const started = 19 // field 22 of proc_pid_stat(5)
	if i < 0 || len(fields) <= started {
		return ""
	}
	boot, err := read("/proc/sys/kernel/random/boot_id")
	if err != nil || len(boot) < 8 {
		return ""
	}
	return fmt.Sprintf("terminal-%s-%d-%s", boot[:8], sid, fields[started])
}

// read reads a small file of /proc. It does without package os, whose first file
// sets up what waits for many.
func read(name string) ([]byte, error) {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	b := make([]byte, 1024)
	n, err := unix.Read(fd, b)
	return b[:max(n, 0)], err
}
