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
	held := func() (s unix.Sigset_t) {
		if err := unix.PthreadSigmask(unix.SIG_BLOCK, nil, &s); err != nil {
			t.Fatal(err)
		}
		return s
	}
	before, umask, signals := caps(), mask(), held()
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
	if held().Val[0]&(1<<(unix.SIGINT-1)) == 0 {
		t.Error("a signal can come while it hands over a descriptor")
	}
	w.back()
	if s := held(); s != signals {
		t.Errorf("afterwards it holds back %x, before %x", s.Val[0], signals.Val[0])
	}
	if c := caps(); c != before {
		t.Errorf("afterwards it has %v, before %v", c, before)
	}
	if m := mask(); m != umask {
		t.Errorf("afterwards its mask is %o, before %o", m, umask)
	}
}
