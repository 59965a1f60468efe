//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestSignalsAreAsOutside: the job's program blocks, ignores and handles what
// it would without a sandbox, also where clone3 cannot be had.
func TestSignalsAreAsOutside(t *testing.T) {
	can(t)
	ws, _ := space(t)
	show := []string{"/usr/bin/grep", "-E", "^Sig(Blk|Ign|Cgt|Pnd)", "/proc/self/status"} // a shell would clear the mask
	plain := exec.Command(show[0], show[1:]...)
	plain.Env = env()
	want, err := plain.Output()
	if err != nil {
		t.Fatal(err)
	}
	check := func(kind string) {
		if r := run(t, spec(ws), Command{Args: show}); r.out != string(want) {
			t.Errorf("%s: %q, without a sandbox %q (%v)", kind, r.out, want, r.err)
		}
	}
	check("clone3")
	const again = "MAYI_TEST_WITHOUT_CLONE3"
	if os.Getenv(again) != "" {
		if _, _, e := unix.RawSyscall(unix.SYS_CLONE3, 0, 0, 0); e != unix.ENOSYS {
			t.Errorf("clone3 is there: %v", e)
		}
		return
	}
	out := make(chan error)
	go func() {
		runtime.LockOSThread() // the filter stays on this thread, which ends with it
		err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
		if err == nil {
			_, err = installFilter(assemble(nativeArch, foreignNumbers, []block{{unix.SYS_CLONE3, []unix.SockFilter{fail(unix.ENOSYS)}}}), false)
		}
		if err == nil {
			cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
			cmd.Env = append(os.Environ(), again+"=1")
			var text []byte
			if text, err = cmd.CombinedOutput(); err != nil || !strings.Contains(string(text), "--- PASS") {
				err = fmt.Errorf("%v\n%s", err, text)
			}
		}
		out <- err
	}()
	if err := <-out; err != nil {
		t.Error("where clone3 cannot be had:", err)
	}
}
