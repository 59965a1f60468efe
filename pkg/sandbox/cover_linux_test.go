//go:build linux && (amd64 || arm64)

package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestClosedWhereAllIsGranted: what is closed is closed where everything else
// can be read, and where the kernel holds that alone.
func TestClosedWhereAllIsGranted(t *testing.T) {
	can(t)
	ws, out := space(t)
	for name, text := range map[string]string{"file": "CLOSED", "folder/file": "CLOSED", "open": "READABLE"} {
		file := filepath.Join(out, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := spec(ws)
	s.Read = []string{"/"}
	s.Denied = []Pattern{{Glob: out + "/file", Firm: true}, {Glob: out + "/folder", Firm: true}}
	c := Command{Shell: "cat " + out + "/open " + out + "/file " + out + "/folder/file /etc/shadow; cat /../etc/shadow; true", Env: env()}
	if noticeFor(&s, &c) == notifyAll {
		t.Fatal("the supervisor would hold it")
	}
	for name, l := range ways(t, &s, &c) {
		r := try(t, l, s, c)
		if name == "bwrap" && r.err != nil {
			continue // it cannot bind the whole root; the next way is taken
		}
		if r.Code != 0 || !strings.Contains(r.out, "READABLE") || strings.Contains(r.out, "CLOSED") || strings.Contains(r.out, "root:") {
			t.Errorf("%s: %d %q %v", name, r.Code, r.out, r.err)
		}
	}
}

// TestTheOldRootIsGone: no way leads out of the job's tree, not even while the
// old root is being dropped.
func TestTheOldRootIsGone(t *testing.T) {
	can(t)
	ws, out := space(t)
	s := spec(ws)
	c := Command{Shell: "cat /.old/root" + out + "/secret /.old/../.." + out + "/secret /.." + out + "/secret; ls -A /.old/root /.old; cat /proc/self/mountinfo; true", Env: env()}
	for range 20 {
		r := run(t, s, c)
		if r.Code != 0 || strings.Contains(r.out, "CANARY") {
			t.Errorf("%d %q %v", r.Code, r.out, r.err)
		}
	}
	if r := run(t, s, Command{Shell: "sleep 0.1; grep -c /.old/root /proc/self/mountinfo", Env: env()}); r.out != "0\n" {
		t.Errorf("the old root is still there, %q", r.out)
	}
}
