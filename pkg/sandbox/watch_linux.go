//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// watch keeps the limits on the job as a whole, which the kernel knows only
// for single processes: it looks at the job's processes often while they grow
// and less often while they do not. The channel gets one reason, if any.
func (h *helper) watch() <-chan string {
	out := make(chan string, 1)
	l := h.Plan.Limits
	if !h.Tree || l.Processes <= 0 && l.Memory <= 0 && l.Disk <= 0 {
		return out
	}
	go func() {
		w := watcher{limits: l, self: os.Getpid(), page: int64(os.Getpagesize()), roots: h.Plan.Roots}
		w.free = w.disk()
		pause := 20 * time.Millisecond
		last := 0
		for {
			time.Sleep(pause)
			n, why := w.look()
			if why != "" {
				out <- why
				return
			}
			switch {
			case n > last+8 || n > l.Processes/4 && l.Processes > 0 || w.used > l.Memory/4 && l.Memory > 0:
				pause = 20 * time.Millisecond
			case pause < 100*time.Millisecond:
				pause += 10 * time.Millisecond
			}
			last = n
		}
	}()
	return out
}

type watcher struct {
	limits Limits
	self   int
	page   int64
	roots  []string
	free   []int64
	used   int64
	buf    [256]byte
}

// look counts processes and resident memory; why is the limit that was passed.
func (w *watcher) look() (n int, why string) {
	d, err := os.Open("/proc")
	if err != nil {
		return 0, ""
	}
	all, _ := d.Readdirnames(-1)
	d.Close()
	w.used = 0
	for _, name := range all {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == w.self {
			continue
		}
		n++
		if w.limits.Memory > 0 {
			w.used += w.resident(name)
		}
	}
	if w.limits.Processes > 0 && n > w.limits.Processes {
		return n, fmt.Sprintf("more than %d processes", w.limits.Processes)
	}
	if w.limits.Memory > 0 && w.used > w.limits.Memory {
		return n, fmt.Sprintf("more than %d MiB of memory", w.limits.Memory>>20)
	}
	if w.limits.Disk > 0 {
		for i, f := range w.disk() {
			if w.free[i]-f > w.limits.Disk {
				return n, fmt.Sprintf("more than %d MiB written below %s", w.limits.Disk>>20, w.roots[i])
			}
		}
	}
	return n, ""
}

func (w *watcher) resident(pid string) int64 {
	fd, err := unix.Open("/proc/"+pid+"/statm", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0
	}
	defer unix.Close(fd)
	k, err := unix.Read(fd, w.buf[:])
	if err != nil || k <= 0 {
		return 0
	}
	f := bytes.Fields(w.buf[:k])
	if len(f) < 3 {
		return 0
	}
	pages, _ := strconv.ParseInt(string(f[1]), 10, 64)
	return pages * w.page
}

// disk is what is free below each writable root, in bytes.
func (w *watcher) disk() []int64 {
	out := make([]int64, len(w.roots))
	for i, r := range w.roots {
		var st unix.Statfs_t
		if unix.Statfs(r, &st) == nil {
			out[i] = int64(st.Bfree) * st.Bsize
		}
	}
	return out
}
