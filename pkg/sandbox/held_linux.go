//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bytes"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// heldMemory is what a job keeps in memory without having it mapped: files on
// its private file systems, and files without a name. It counts for no process.
type heldMemory struct {
	info    int // /proc/meminfo, -1 where there is none
	before  int64
	folders []string // where the job's private file systems are
}

// newHeldMemory begins to count from now on.
func newHeldMemory(p plan) heldMemory {
	h := heldMemory{info: -1}
	if fd, err := unix.Open("/proc/meminfo", unix.O_RDONLY|unix.O_CLOEXEC, 0); err == nil {
		h.info = fd
	}
	for _, s := range p.Steps {
		if s.Do == doTmp && s.Path != "/dev" {
			h.folders = append(h.folders, s.Path)
		}
	}
	h.before = h.machine()
	return h
}

// machine is all of the machine's memory of that kind, in bytes: looking at it
// is cheap, and as long as it does not grow the job's share need not be known.
func (h *heldMemory) machine() int64 {
	var buf [4096]byte
	n, err := unix.Pread(h.info, buf[:], 0)
	if err != nil || n <= 0 {
		return 0
	}
	_, rest, ok := bytes.Cut(buf[:n], []byte("\nShmem:"))
	f := bytes.Fields(rest)
	if !ok || len(f) == 0 {
		return 0
	}
	kb, _ := strconv.ParseInt(string(f[0]), 10, 64)
	return kb << 10
}

// grown says whether the machine's has grown by more than the limit.
func (h *heldMemory) grown(limit int64) bool { return h.machine()-h.before > limit }

// ofJob is the job's share, in bytes. proc is the job's /proc, self the process
// in it that is no part of the job: all others have the job's tree.
func (h *heldMemory) ofJob(proc, self int, pids []string) int64 {
	type file struct{ dev, ino uint64 }
	var sum int64
	systems := map[uint64]bool{}
	root := -1
	for i := 0; i < len(pids) && root < 0; i++ {
		if n, err := strconv.Atoi(pids[i]); err == nil && n != self {
			if root, err = unix.Openat(proc, pids[i]+"/root", unix.O_PATH|unix.O_CLOEXEC, 0); err != nil {
				root = -1
			}
		}
	}
	defer closeFD(root)
	for _, dir := range h.folders {
		fd, err := unix.Openat(root, "."+dir, unix.O_PATH|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
		if err != nil {
			continue
		}
		var fs unix.Statfs_t
		var st unix.Stat_t
		if unix.Fstatfs(fd, &fs) == nil && unix.Fstat(fd, &st) == nil && fs.Type == unix.TMPFS_MAGIC && !systems[uint64(st.Dev)] {
			systems[uint64(st.Dev)] = true
			sum += int64(fs.Blocks-fs.Bfree) * fs.Bsize
		}
		unix.Close(fd)
	}
	seen := map[file]bool{}
	for _, pid := range pids {
		if n, err := strconv.Atoi(pid); err != nil || n == self {
			continue
		}
		fd, err := unix.Openat(proc, pid+"/fd", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			continue
		}
		d := os.NewFile(uintptr(fd), "fd")
		names, _ := d.Readdirnames(-1)
		for _, name := range names {
			var buf [64]byte
			n, err := unix.Readlinkat(fd, name, buf[:])
			if err != nil || !strings.HasPrefix(string(buf[:n]), "/memfd:") {
				continue
			}
			var st unix.Stat_t
			if unix.Fstatat(fd, name, &st, 0) == nil && !seen[file{uint64(st.Dev), st.Ino}] {
				seen[file{uint64(st.Dev), st.Ino}] = true
				sum += st.Blocks * 512
			}
		}
		d.Close()
	}
	return sum
}

func (h *heldMemory) close() { closeFD(h.info) }

// sharedMemory answers a request for a System V segment, which stays when nobody
// has it mapped: all of them together may take what a job may use of memory.
func (b *broker) sharedMemory(key, size, flags uint64) reply {
	if int32(key) != 0 && flags&unix.IPC_CREAT == 0 {
		return reply{pass: true} // one that is there; nothing of the call lies in memory
	}
	limit := b.job.plan.Limits.Memory
	if limit > 0 && (size > uint64(limit) || b.segments+int64(size) > limit) {
		return reply{e: unix.ENOMEM}
	}
	b.segments += int64(size)
	return reply{pass: true}
}
