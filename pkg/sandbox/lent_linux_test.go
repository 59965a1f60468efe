//go:build linux && (amd64 || arm64)

package sandbox

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestLent: a thread that answers the kernel has no privilege meanwhile, and is
// as before afterwards.
func TestLent(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	caps := func() (c [2]unix.CapUserData) {
		hdr := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
		if err := unix.Capget(&hdr, &c[0]); err != nil {
			t.Fatal(err)
		}
		return c
	}
	mask := func() int { m := unix.Umask(0o22); unix.Umask(m); return m }
	before, umask := caps(), mask()
	var w lent
	w.back() // nothing was lent yet
	if err := w.become(); err != nil {
		t.Fatal(err)
	}
	if c := caps(); c[0].Effective != 0 || c[1].Effective != 0 {
		t.Errorf("it has %x %x", c[0].Effective, c[1].Effective)
	}
	if m := mask(); m != 0 {
		t.Errorf("its mask is %o", m)
	}
	w.back()
	if c := caps(); c != before {
		t.Errorf("afterwards it has %v, before %v", c, before)
	}
	if m := mask(); m != umask {
		t.Errorf("afterwards its mask is %o, before %o", m, umask)
	}
}
