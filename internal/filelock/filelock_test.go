//go:build unix

package filelock_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"mayi/internal/filelock"
)

// TestOneAtATime: each holder has the lock to itself.
func TestOneAtATime(t *testing.T) {
	dir := t.TempDir()
	for name, lock := range map[string]func() (func(), error){
		"a folder": func() (func(), error) { return filelock.Folder(dir) },
		"a file":   func() (func(), error) { return filelock.File(filepath.Join(dir, "lock")) },
	} {
		var inside atomic.Int32
		var work sync.WaitGroup
		for range 20 {
			work.Go(func() {
				for range 50 {
					unlock, err := lock()
					if err != nil {
						t.Error(err)
						return
					}
					if n := inside.Add(1); n != 1 {
						t.Errorf("%s: %d hold it", name, n)
					}
					inside.Add(-1)
					unlock()
				}
			})
		}
		work.Wait()
	}
	if _, err := filelock.Folder(filepath.Join(dir, "nothing")); err == nil {
		t.Error("a folder that is not there was locked")
	}
}

// TestTry: a lock that another has is told of, and ends with the file.
func TestTry(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	open := func(flags int) *os.File {
		t.Helper()
		f, err := filelock.Open(name, flags)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	if _, err := filelock.Open(name, os.O_RDWR); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	first := open(os.O_RDWR | os.O_CREATE)
	second := open(os.O_RDONLY)
	defer second.Close()
	for _, c := range []struct {
		f    *os.File
		want bool
	}{{first, true}, {second, false}} {
		if ok, err := filelock.Try(c.f); err != nil || ok != c.want {
			t.Errorf("%v (%v), want %v", ok, err, c.want)
		}
	}
	first.Close()
	if ok, err := filelock.Try(second); err != nil || !ok {
		t.Errorf("after the first was closed: %v (%v)", ok, err)
	}
	if st, err := os.Stat(name); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("it is made for others, too: %v (%v)", st.Mode(), err)
	}
}
