package config_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"mayi/pkg/config"
)

// TestForbiddenFile reads as a user who may not. Only root can become one, and
// only a thread of its own does, so that the rest of the process stays root.
func TestForbiddenFile(t *testing.T) {
	w := newWorld(t)
	w.write(w.UserFile, "{}")
	must(t, os.Chmod(w.UserFile, 0))
	must(t, os.Chmod(filepath.Dir(w.Home), 0o755))
	must(t, os.Chmod(filepath.Dir(filepath.Dir(w.Home)), 0o755))
	load := func() error { _, err := config.Load(w.Options); return err }
	if os.Geteuid() == 0 {
		load = asNobody(t, load)
	}
	if err := load(); err == nil || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("a file that may not be read: %v", err)
	}
}

// asNobody runs f with the file system rights of nobody.
func asNobody(t *testing.T, f func() error) func() error {
	t.Helper()
	return func() (err error) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			// The thread is thrown away with its rights.
			runtime.LockOSThread()
			if e := unix.Setfsuid(65534); e != nil {
				err = e
				return
			}
			err = f()
		}()
		<-done
		return err
	}
}
