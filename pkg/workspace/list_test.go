//go:build unix

package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestListAndKind: a folder is listed, and names are looked at, as the standard
// library does it.
func TestListAndKind(t *testing.T) {
	dir := real(t, t.TempDir())
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range 600 { // more than one call to the system gives
		must(os.WriteFile(filepath.Join(dir, strconv.Itoa(i)+strings.Repeat("n", i%200)), nil, 0o600))
	}
	must(os.Mkdir(filepath.Join(dir, "d"), 0o700))
	must(os.Symlink("d", filepath.Join(dir, "l")))
	must(os.Symlink("nowhere", filepath.Join(dir, "dangling")))
	must(syscall.Mkfifo(filepath.Join(dir, "p"), 0o600))
	must(os.WriteFile(filepath.Join(dir, "a\nb \xff"), nil, 0o600))
	want, err := os.ReadDir(dir)
	must(err)
	got, more, err := listNoLinks(dir, len(want))
	must(err)
	if more || len(got) != len(want) {
		t.Fatalf("%d entries, more %v; there are %d", len(got), more, len(want))
	}
	kinds := map[string]fs.FileMode{}
	for _, e := range got {
		kinds[e.Name()] = e.Type()
		if info, err := e.Info(); err != nil || info.Name() != e.Name() || e.IsDir() != info.IsDir() {
			t.Errorf("%q: %v, %v", e.Name(), info, err)
		}
	}
	for _, e := range want {
		kind, err := kindOf(filepath.Join(dir, e.Name()))
		if listed, ok := kinds[e.Name()]; !ok || listed != e.Type() || kind != e.Type() || err != nil {
			t.Errorf("%q is a %v, listed as %v, looked at as %v (%v)", e.Name(), e.Type(), listed, kind, err)
		}
	}
	for _, name := range []string{"/dev/null", "/", "/proc/self"} {
		if fi, err := os.Lstat(name); err == nil {
			if kind, err := kindOf(name); err != nil || kind != fi.Mode().Type() {
				t.Errorf("%s is a %v, not %v (%v)", name, fi.Mode().Type(), kind, err)
			}
		}
	}
	if got, more, err := listNoLinks(dir, 10); len(got) != 10 || !more || err != nil {
		t.Errorf("of ten: %d, more %v, %v", len(got), more, err)
	}
	for _, name := range []string{"nosuch", "0", "l"} {
		if _, _, err := (osDisk{}).list(filepath.Join(dir, name), 10); err == nil {
			t.Errorf("%s is listed", name)
		}
	}
	if _, err := kindOf(filepath.Join(dir, "nosuch")); !missing(err) {
		t.Errorf("what is missing: %v", err)
	}
}

func TestReadFileLimits(t *testing.T) {
	dir := real(t, t.TempDir())
	name := filepath.Join(dir, "f")
	for _, n := range []int{0, 1, 511, 512, 513, 5000} {
		if err := os.WriteFile(name, make([]byte, n), 0o600); err != nil {
			t.Fatal(err)
		}
		if data, err := ReadFile(name, int64(n)); err != nil || len(data) != n {
			t.Errorf("%d bytes: %d read, %v", n, len(data), err)
		}
		if n > 0 {
			if _, err := ReadFile(name, int64(n)-1); err == nil || !strings.Contains(err.Error(), "larger than") {
				t.Errorf("%d bytes with a limit below: %v", n, err)
			}
		}
	}
	if data, err := ReadFile("/proc/version", 1<<20); err != nil && !missing(err) || err == nil && len(data) == 0 {
		t.Errorf("a file without a size: %d bytes, %v", len(data), err)
	}
	if _, err := ReadFile(dir, 10); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a folder: %v", err)
	}
}
