//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestTerminalsOfOthers: no way lets a job write to the user's other terminals;
// terminals of its own it has.
func TestTerminalsOfOthers(t *testing.T) {
	ws, _ := space(t)
	master, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Skip("no terminals here: ", err)
	}
	defer unix.Close(master)
	n, err := unix.IoctlGetUint32(master, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(master, unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	s := spec(ws)
	c := Command{
		Shell: fmt.Sprintf("echo THROUGH > /dev/pts/%d; cat < /dev/pts/%[1]d & sleep 0.1; kill %%1; /usr/bin/python3 -c 'import pty; pty.spawn([\"/bin/echo\", \"own\"])'", n),
		Env:   env(),
	}
	for name, l := range ways(t, &s, &c) {
		if r := try(t, l, s, c); r.Code != 0 || !strings.Contains(r.out, "own") {
			t.Errorf("%s: %d %q %v", name, r.Code, r.out, r.err)
		}
		var got [64]byte
		if k, err := unix.Read(master, got[:]); err == nil && k > 0 {
			t.Errorf("%s: the terminal shows %q", name, got[:k])
		}
	}
}
