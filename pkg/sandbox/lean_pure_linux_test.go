//go:build linux && !cgo && (amd64 || arm64)

package sandbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestProcessOneHasNoHeap: what the supervisor keeps in memory is not in the
// job's process 1, and is all there for others that the supervisor starts.
func TestProcessOneHasNoHeap(t *testing.T) {
	can(t)
	least := ^uintptr(0)
	for range 5 { // what the heap gets in the very moment of a fork is passed on
		least = min(least, passedOn(t))
	}
	if most := uintptr(4 * os.Getpagesize()); least > most {
		t.Errorf("%d bytes of the supervisor's memory are passed on to process 1, at most %d are needed", least, most)
	}
	// os/exec's forks share the memory, but for those into a user namespace.
	cmd := exec.Command("true")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER}
	if err := cmd.Run(); err != nil {
		t.Error("a process with a user namespace, after a job was started:", err)
	}
}

// passedOn is how many bytes of the memory allocated here a job's process 1 has.
func passedOn(t *testing.T) (n uintptr) {
	ws, _ := space(t)
	j, err := Start(context.Background(), spec(ws), Command{Args: []string{"sleep", "60"}, Env: env()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { j.Kill(); j.Wait() }()
	inside, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", j.helper.pid))
	if err != nil {
		t.Skip("nobody but root looks into process 1: ", err)
	}
	all, err := allocated()
	if err != nil || len(all) == 0 {
		t.Fatal(all, err)
	}
	for line := range strings.Lines(string(inside)) {
		var from, to uintptr
		if _, err := fmt.Sscanf(line, "%x-%x", &from, &to); err != nil {
			t.Fatal(line, err)
		}
		for _, s := range all {
			if lo, hi := max(from, s.from), min(to, s.to); lo < hi {
				n += hi - lo
			}
		}
	}
	return n
}
