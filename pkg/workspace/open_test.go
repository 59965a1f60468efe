//go:build unix

package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"mayi/pkg/workspace"
)

func TestOpenFollowsNoLink(t *testing.T) {
	top := tree(t, "ws/a/f", "ws/link -> a", "ws/file -> a/f", "out/secret", "ws/leak -> $T/out", "ws/a/.keep")
	for _, c := range []struct {
		path string
		ok   bool
	}{
		{top + "/ws/a/f", true},
		{top + "/ws/a", true},
		{"/", true},
		{top + "/ws/link/f", false},
		{top + "/ws/file", false},
		{top + "/ws/leak/secret", false},
		{top + "/ws/none", false},
		{top + "/ws/a/../a/f", false},
		{top + "/ws//a/f", false},
		{top + "/ws/a/f/", false},
		{"ws/a/f", false},
		{"", false},
		{top + "/ws/a/f\x00", false},
		{"/proc/self/cwd", false},
	} {
		f, err := workspace.Open(c.path, os.O_RDONLY, 0)
		if err == nil {
			f.Close()
		}
		if (err == nil) != c.ok {
			t.Errorf("Open(%q): %v", c.path, err)
		}
		if walked, err := workspace.WalkPath(c.path); err == nil {
			syscall.Close(walked)
			if !c.ok && filepath.Clean(c.path) == c.path && filepath.IsAbs(c.path) {
				t.Errorf("component by component, %q was opened", c.path)
			}
		} else if c.ok {
			t.Errorf("component by component, %q: %v", c.path, err)
		}
	}
}

func TestOpenCreates(t *testing.T) {
	top := tree(t, "ws/", "out/", "ws/dangling -> $T/out/new")
	f, err := workspace.Open(top+"/ws/new", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o640)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if fi, err := os.Stat(top + "/ws/new"); err != nil || fi.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", fi.Mode(), err)
	}
	if f, err := workspace.Open(top+"/ws/dangling", os.O_WRONLY|os.O_CREATE, 0o600); err == nil {
		f.Close()
		t.Error("a file was made through a dangling link")
	}
	if _, err := os.Lstat(top + "/out/new"); err == nil {
		t.Error("there is a file outside")
	}
}

func TestOpenDoesNotWait(t *testing.T) {
	top := tree(t, "ws/")
	if err := syscall.Mkfifo(top+"/ws/fifo", 0o600); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := workspace.ReadFile(top+"/ws/fifo", 10)
		done <- err
	}()
	select {
	case err := <-done:
		if err == nil {
			t.Error("a FIFO was read like a file")
		}
	case <-time.After(20 * time.Second):
		t.Fatal("opening waits for somebody to write")
	}
}

func TestReadFileLimit(t *testing.T) {
	top := tree(t, "ws/")
	if err := os.WriteFile(top+"/ws/f", []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	if data, err := workspace.ReadFile(top+"/ws/f", 5); err != nil || string(data) != "12345" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := workspace.ReadFile(top+"/ws/f", 4); err == nil {
		t.Error("a larger file was read")
	}
	if _, err := workspace.ReadFile("/proc/kallsyms", 100); err == nil {
		t.Error("a larger file without a size was read")
	}
}

func TestWriteFile(t *testing.T) {
	top := tree(t, "ws/old", "out/target", "ws/link -> $T/out/target", "ws/dir/", "ws/leak -> $T/out")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Chmod(top+"/ws/old", 0o751))
	must(workspace.WriteFile(top+"/ws/old", []byte("new"), 0o600))
	must(workspace.WriteFile(top+"/ws/fresh", []byte("new"), 0o640))
	for name, mode := range map[string]os.FileMode{"old": 0o751, "fresh": 0o640} {
		data, err := os.ReadFile(top + "/ws/" + name)
		fi, _ := os.Stat(top + "/ws/" + name)
		if err != nil || string(data) != "new" || fi.Mode().Perm() != mode {
			t.Errorf("%s: %q %v %v", name, data, fi.Mode(), err)
		}
	}
	for _, bad := range []string{"/ws/link", "/ws/dir", "/ws/leak/target", "/ws/none/x", "/ws/dir/"} {
		if err := workspace.WriteFile(top+bad, []byte("new"), 0o600); err == nil {
			t.Errorf("%s was written", bad)
		}
	}
	if data, _ := os.ReadFile(top + "/out/target"); string(data) != "x\n" {
		t.Errorf("a file outside was written: %q", data)
	}
	left, _ := filepath.Glob(top + "/*/.mayi-*")
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestMkdirAllRemoveReadDirStat(t *testing.T) {
	top := tree(t, "ws/f", "out/", "ws/leak -> $T/out")
	if err := workspace.MkdirAll(top+"/ws/a/b/c", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := workspace.MkdirAll(top+"/ws/a/b/c", 0o755); err != nil {
		t.Errorf("a folder that is there: %v", err)
	}
	for _, bad := range []string{"/ws/leak/x", "/ws/f/x", "/ws/f"} {
		if err := workspace.MkdirAll(top+bad, 0o755); err == nil {
			t.Errorf("MkdirAll(%s)", bad)
		}
	}
	if left, _ := os.ReadDir(top + "/out"); len(left) > 0 {
		t.Errorf("made outside: %v", left)
	}
	entries, err := workspace.ReadDir(top + "/ws")
	if err != nil || len(entries) != 3 || entries[0].Name() != "a" || entries[2].Name() != "leak" {
		t.Errorf("%v, %v", entries, err)
	}
	if _, err := workspace.ReadDir(top + "/ws/leak"); err == nil {
		t.Error("a link was listed")
	}
	if fi, err := workspace.Stat(top + "/ws/f"); err != nil || fi.Size() != 2 {
		t.Errorf("Stat: %v, %v", fi, err)
	}
	if _, err := workspace.Stat(top + "/ws/leak"); err == nil {
		t.Error("Stat of a link")
	}
	if err := workspace.Remove(top + "/ws/a"); err == nil {
		t.Error("a folder that is not empty was removed")
	}
	for _, name := range []string{"/ws/a/b/c", "/ws/f", "/ws/leak"} {
		if err := workspace.Remove(top + name); err != nil {
			t.Errorf("Remove(%s): %v", name, err)
		}
	}
	if _, err := os.Stat(top + "/out"); err != nil {
		t.Error("removing a link removed its target")
	}
	if err := workspace.Remove(top + "/ws/f"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("removing nothing: %v", err)
	}
}

// TestSwapGainsNothing exchanges a folder for a link to the outside while
// others open what they resolved inside.
func TestSwapGainsNothing(t *testing.T) {
	top := tree(t, "ws/d/f", "out/f", "ws/evil -> $T/out")
	if err := os.WriteFile(top+"/out/f", []byte("outside"), 0o644); err != nil {
		t.Fatal(err)
	}
	var stop atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for !stop.Load() {
			os.Rename(top+"/ws/d", top+"/ws/keep")
			os.Rename(top+"/ws/evil", top+"/ws/d")
			os.Rename(top+"/ws/d", top+"/ws/evil")
			os.Rename(top+"/ws/keep", top+"/ws/d")
		}
	})
	opened, refused := 0, 0
	for i := range 40_000 {
		open := func() (*os.File, error) { return workspace.Open(top+"/ws/d/f", os.O_RDONLY, 0) }
		if i%2 == 1 {
			open = func() (*os.File, error) {
				fd, err := workspace.WalkPath(top + "/ws/d/f")
				if err != nil {
					return nil, err
				}
				return os.NewFile(uintptr(fd), "walked"), nil
			}
		}
		f, err := open()
		if err != nil {
			refused++
			continue
		}
		var b [16]byte
		n, _ := f.Read(b[:])
		f.Close()
		if strings.HasPrefix(string(b[:n]), "outside") {
			t.Fatal("the file outside was opened")
		}
		opened++
	}
	for range 200 {
		_ = workspace.WriteFile(top+"/ws/d/f", []byte("inside"), 0o600)
	}
	stop.Store(true)
	wg.Wait()
	if opened == 0 || refused == 0 {
		t.Errorf("the race did not happen: %d opened, %d refused", opened, refused)
	}
	if data, _ := os.ReadFile(top + "/out/f"); string(data) != "outside" {
		t.Error("the file outside was written")
	}
}

// TestNothingLeaks counts descriptors around many calls that end in every way.
func TestNothingLeaks(t *testing.T) {
	top := tree(t, "ws/a/f", "ws/leak -> $T/out", "out/x")
	count := func() int {
		entries, err := os.ReadDir("/dev/fd")
		if err != nil {
			t.Skip("the system does not list descriptors")
		}
		return len(entries)
	}
	before := count()
	for range 50 {
		for _, p := range []string{"/ws/a/f", "/ws/none/f", "/ws/leak/x", "/ws/a", "/ws/a/f/g"} {
			if f, err := workspace.Open(top+p, os.O_RDONLY, 0); err == nil {
				f.Close()
			}
			if fd, err := workspace.WalkPath(top + p); err == nil {
				syscall.Close(fd)
			}
			workspace.ReadFile(top+p, 100)
			workspace.ReadDir(top + p)
			workspace.Stat(top + p)
			workspace.MkdirAll(top+p, 0o755)
			workspace.WriteFile(top+p, nil, 0o600)
			workspace.Remove(top + p + "x")
		}
	}
	if after := count(); after > before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}
