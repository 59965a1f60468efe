//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bytes"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// target is the process (a thread, in fact) whose system call is held.
type target struct {
	pid  int
	root int // the job's root; it belongs to the supervisor
	// lists is what counts as missing in the job's tree.
	lists *listings
}

// text reads a path out of the target. It is read once: what happens to the
// target's memory afterwards changes nothing.
func (t target) text(addr uint64) (string, unix.Errno) {
	var buf [unix.PathMax]byte
	have := 0
	page := uint64(os.Getpagesize())
	for have < len(buf) {
		want := int(page - (addr+uint64(have))%page)
		want = min(want, len(buf)-have)
		n, err := readMemory(t.pid, addr+uint64(have), buf[have:have+want])
		if err != nil || n <= 0 {
			return "", unix.EFAULT
		}
		if i := bytes.IndexByte(buf[have:have+n], 0); i >= 0 {
			return string(buf[:have+i]), 0
		}
		have += n
	}
	return "", unix.ENAMETOOLONG
}

// bytes reads exactly n bytes.
func (t target) bytes(addr uint64, n int) ([]byte, unix.Errno) {
	b := make([]byte, n)
	if k, err := readMemory(t.pid, addr, b); n > 0 && (err != nil || k != n) {
		return nil, unix.EFAULT
	}
	return b, 0
}

func (t target) proc(name string) string {
	return "/proc/" + strconv.Itoa(t.pid) + "/" + name
}

// dir opens the folder that a relative path begins at. The caller closes it.
func (t target) dir(fd int32) (int, unix.Errno) {
	name := "cwd"
	if fd != unix.AT_FDCWD {
		if fd < 0 {
			return -1, unix.EBADF
		}
		name = "fd/" + strconv.Itoa(int(fd))
	}
	d, err := unix.Open(t.proc(name), unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		if err == unix.ENOENT {
			return -1, unix.EBADF
		}
		return -1, errno(err)
	}
	return d, 0
}

// object opens what a descriptor of the target leads to, as O_PATH.
func (t target) object(fd int32) (int, unix.Errno) {
	if fd < 0 {
		return -1, unix.EBADF
	}
	return t.dir(fd)
}

// status gives fields of /proc/PID/status.
func (t target) status(names ...string) []string {
	out := make([]string, len(names))
	b, err := os.ReadFile(t.proc("status"))
	if err != nil {
		return out
	}
	for _, line := range strings.Split(string(b), "\n") {
		for i, n := range names {
			if v, ok := strings.CutPrefix(line, n+":"); ok {
				out[i] = strings.TrimSpace(v)
			}
		}
	}
	return out
}

// umask is the target's file creation mask; the strictest where it cannot be
// read.
func (t target) umask() uint32 {
	v, err := strconv.ParseUint(t.status("Umask")[0], 8, 32)
	if err != nil {
		return 0o777
	}
	return uint32(v)
}

// self is what /proc/self and /proc/thread-self lead to in the job.
func (t target) self() (process, thread string) {
	s := t.status("NStgid", "NSpid")
	last := func(v string) string {
		f := strings.Fields(v)
		if len(f) == 0 {
			return ""
		}
		return f[len(f)-1]
	}
	process = last(s[0])
	if process == "" {
		return "", ""
	}
	return process, process + "/task/" + last(s[1])
}

// program is the name of the program that tries, for people.
func (t target) program() string {
	if p, err := os.Readlink(t.proc("exe")); err == nil {
		return p[strings.LastIndexByte(p, '/')+1:]
	}
	return ""
}

// fdMode is the access mode that one of the target's descriptors was opened
// with, or -1.
func (t target) fdMode(fd string) int {
	b, err := os.ReadFile(t.proc("fdinfo/" + fd))
	if err != nil {
		return -1
	}
	for _, line := range strings.Split(string(b), "\n") {
		if v, ok := strings.CutPrefix(line, "flags:"); ok {
			if n, err := strconv.ParseUint(strings.TrimSpace(v), 8, 64); err == nil {
				return int(n & unix.O_ACCMODE)
			}
		}
	}
	return -1
}

func errno(err error) unix.Errno {
	if e, ok := err.(unix.Errno); ok {
		return e
	}
	return unix.EACCES
}

// pathOf is the kernel's name for an open object.
func pathOf(fd int) (string, unix.Errno) {
	p, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
	if err != nil {
		return "", unix.EACCES
	}
	return p, 0
}

func closeFD(fd int) {
	if fd >= 0 {
		unix.Close(fd)
	}
}
