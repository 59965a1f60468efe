//go:build unix

package filelock_test

import (
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
