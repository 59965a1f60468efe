package workspace_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"mayi/pkg/workspace"
)

// TestCanonicalIsWhatTheKernelOpens lets the kernel create or open random names
// in random trees and compares where it got to with what was foretold. Dangling
// links, climbing out of links and missing names are all among them.
func TestCanonicalIsWhatTheKernelOpens(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	n, compared := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		top := fmt.Sprintf("%s/%d", base, n)
		step := rapid.SampledFrom([]string{"a", "b", "c", "..", ".", ""})
		relative := func(label string) string {
			return strings.Join(rapid.SliceOfN(step, 1, 5).Draw(t, label), "/")
		}
		if err := os.MkdirAll(top+"/a/b", 0o755); err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(0, 8).Draw(t, "links") {
			at := filepath.Join(top, filepath.Clean("/"+relative("at")))
			target := relative("target")
			if rapid.Bool().Draw(t, "absolute") {
				target = top + "/" + target
			}
			os.Symlink(target, at)
		}
		name := top + "/" + relative("name")
		want, err := workspace.Canonical(name)
		fd, openErr := unix.Open(name, unix.O_CREAT|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
		if openErr == unix.EISDIR {
			fd, openErr = unix.Open(name, unix.O_PATH|unix.O_CLOEXEC, 0)
		}
		if openErr != nil {
			if openErr == unix.ELOOP && err == nil {
				t.Fatalf("%s is a loop, but %s was foretold", name, want)
			}
			return
		}
		defer unix.Close(fd)
		got, linkErr := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
		if linkErr != nil {
			t.Fatal(linkErr)
		}
		compared++
		if err != nil || got != want {
			t.Fatalf("%s: the kernel opened %s, foretold was %s (%v)", name, got, want, err)
		}
	})
	if compared < n/4 {
		t.Errorf("only %d of %d names could be compared", compared, n)
	}
}
