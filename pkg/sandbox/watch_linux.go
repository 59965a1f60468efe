//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// watcher keeps the limits on the job as a whole, which the kernel knows only
// for single processes: it looks at the job's processes often while they grow
// and less often while they do not.
type watcher struct {
	limits Limits
	on     bool
	self   int
	proc   int // the job's /proc
	page   int64
	roots  []string
	open   []int // the roots, -1 where there is none
	free   []int64
	held   heldMemory
	used   int64
	buf    [256]byte

	due   time.Time
	pause time.Duration
	last  int
}

const (
	watchShort = 20 * time.Millisecond
	watchLong  = 100 * time.Millisecond
)

// newWatcher keeps the limits of a plan on the processes in a /proc, but for the
// one that watches or starts them. It takes the descriptor over.
func newWatcher(p plan, proc, self int) *watcher {
	l := p.Limits
	w := &watcher{limits: l, self: self, proc: proc, page: int64(os.Getpagesize()), roots: p.Roots, pause: watchShort}
	w.on = proc >= 0 && (l.Processes > 0 || l.Memory > 0 || l.Disk > 0)
	if w.on && l.Disk > 0 {
		for _, r := range w.roots {
			fd, err := unix.Open(r, unix.O_PATH|unix.O_CLOEXEC, 0)
			if err != nil {
				fd = -1
			}
			w.open = append(w.open, fd)
		}
		w.free = w.disk()
	}
	w.held.info = -1
	if w.on && l.Memory > 0 {
		w.held = newHeldMemory(p)
	}
	w.due = time.Now().Add(w.pause)
	return w
}

func (w *watcher) close() {
	if w != nil {
		closeFD(w.proc)
		w.held.close()
		for _, fd := range w.open {
			closeFD(fd)
		}
	}
}

// tick looks when it is time to. It gives the milliseconds until then, or the
// limit that was passed.
func (w *watcher) tick(now time.Time) (ms int, why string) {
	if w == nil || !w.on {
		return -1, ""
	}
	if now.Before(w.due) {
		return int(w.due.Sub(now).Milliseconds()) + 1, ""
	}
	n, why := w.look()
	if why != "" {
		return 0, why
	}
	switch {
	case n > w.last+8 || w.limits.Processes > 0 && n > w.limits.Processes/4 || w.limits.Memory > 0 && w.used > w.limits.Memory/4:
		w.pause = watchShort
	case w.pause < watchLong:
		w.pause += 10 * time.Millisecond
	}
	w.last = n
	w.due = now.Add(w.pause)
	return int(w.pause.Milliseconds()), ""
}

// look counts processes and resident memory; why is the limit that was passed.
func (w *watcher) look() (n int, why string) {
	fd, err := unix.Openat(w.proc, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, ""
	}
	d := os.NewFile(uintptr(fd), "proc")
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
	// Pages that processes share were counted for each; look closer before
	// ending anything.
	if w.limits.Memory > 0 && w.used > w.limits.Memory && w.exact(all) > w.limits.Memory {
		return n, fmt.Sprintf("more than %d MiB of memory", w.limits.Memory>>20)
	}
	if w.limits.Memory > 0 && w.held.grown(w.limits.Memory) && w.held.ofJob(w.proc, w.self, all) > w.limits.Memory {
		return n, fmt.Sprintf("more than %d MiB in files that are kept in memory", w.limits.Memory>>20)
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
	fd, err := unix.Openat(w.proc, pid+"/statm", unix.O_RDONLY|unix.O_CLOEXEC, 0)
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

// exact is the memory of all processes with shared pages counted once.
func (w *watcher) exact(pids []string) int64 {
	var sum int64
	for _, name := range pids {
		if pid, err := strconv.Atoi(name); err != nil || pid == w.self {
			continue
		}
		b, err := w.read(name + "/smaps_rollup")
		if err != nil {
			sum += w.resident(name)
			continue
		}
		_, rest, ok := bytes.Cut(b, []byte("\nPss:"))
		f := bytes.Fields(rest)
		if !ok || len(f) == 0 {
			sum += w.resident(name)
			continue
		}
		kb, _ := strconv.ParseInt(string(f[0]), 10, 64)
		sum += kb << 10
	}
	return sum
}

func (w *watcher) read(name string) ([]byte, error) {
	fd, err := unix.Openat(w.proc, name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	return io.ReadAll(f)
}

// disk is what is free below each writable root, in bytes.
func (w *watcher) disk() []int64 {
	out := make([]int64, len(w.open))
	for i, fd := range w.open {
		var st unix.Statfs_t
		if unix.Fstatfs(fd, &st) == nil {
			out[i] = int64(st.Bfree) * st.Bsize
		}
	}
	return out
}
