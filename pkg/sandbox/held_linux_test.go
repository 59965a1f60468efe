//go:build linux && (amd64 || arm64)

package sandbox

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestAFileCountsOnce, however often it is open.
func TestAFileCountsOnce(t *testing.T) {
	fd, err := unix.MemfdCreate("counted", unix.MFD_CLOEXEC)
	if err != nil {
		t.Skip("no files in memory here: ", err)
	}
	f := os.NewFile(uintptr(fd), "counted")
	defer f.Close()
	if _, err := f.Write(make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	proc, err := unix.Open("/proc", unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(proc)
	h := heldMemory{info: -1}
	once := h.ofJob(proc, 1, []string{strconv.Itoa(os.Getpid())})
	again, err := unix.Dup(fd)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(again)
	if twice := h.ofJob(proc, 1, []string{strconv.Itoa(os.Getpid())}); once < 1<<20 || twice != once {
		t.Errorf("%d bytes, open twice %d", once, twice)
	}
}

// TestMemoryThatNobodyHasMapped: files without a name, files on the job's
// private file systems and segments of shared memory are memory, too.
func TestMemoryThatNobodyHasMapped(t *testing.T) {
	can(t)
	const fill = `/usr/bin/python3 - <<'PY'
import ctypes, os, time
b = b'x' * (1 << 20)
def fill(f, mb):
    try:
        for _ in range(mb): os.write(f, b)
    except OSError: pass
def new(p): return os.open(p, os.O_CREAT | os.O_WRONLY)
`
	for name, r := range map[string]struct {
		code  string
		stops bool
	}{
		"files without a name":  {"f = [os.memfd_create('x') for _ in range(4)]\n[fill(x, 40) for x in f]\ntime.sleep(8)", true},
		"private file systems":  {"[fill(new(p), 40) for p in ('/tmp/x', '/dev/shm/x', '/nonexistent-home/.x')]\ntime.sleep(8)", true},
		"segments":              {"l = ctypes.CDLL(None); print(l.shmget(0, 40 << 20, 0o1600) >= 0, l.shmget(0, 40 << 20, 0o1600) >= 0, 'DONE')", false},
		"segments that are few": {"l = ctypes.CDLL(None); a = l.shmget(7, 1 << 20, 0o1600); print(a >= 0, all(l.shmget(7, 1 << 20, 0) == a for _ in range(99)), 'DONE')", false},
	} {
		ws, _ := space(t)
		s := spec(ws)
		s.Limits.Memory = 64 << 20
		got := run(t, s, Command{Shell: fill + r.code + "\nPY\n"})
		if strings.Contains(got.Stopped, "kept in memory") != r.stops || !r.stops && !strings.Contains(got.out, "DONE") {
			t.Errorf("%s: %q, stopped: %q", name, got.out, got.Stopped)
		}
		if name == "segments" && !strings.Contains(got.out, "True False") || name == "segments that are few" && !strings.Contains(got.out, "True True") {
			t.Errorf("%s: %q", name, got.out)
		}
	}
}
