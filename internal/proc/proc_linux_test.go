package proc

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// TestNamesThatLie: what a program calls itself moves no field.
func TestNamesThatLie(t *testing.T) {
	cat, err := exec.LookPath("cat")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"plain", "a b", "x) Z 1 1 1", "((", "\n) R 9"} {
		program := filepath.Join(t.TempDir(), name)
		if err := os.Symlink(cat, program); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(program)
		cmd.SysProcAttr = &unix.SysProcAttr{Setpgid: true}
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		pid := cmd.Process.Pid
		session, _ := unix.Getsid(0)
		s, err := Read(pid)
		if err != nil || s.PID != pid || s.Parent != os.Getpid() || s.Group != pid || s.Session != session || s.State == 'Z' || s.Started == 0 {
			t.Errorf("%q: %+v, %v", name, s, err)
		}
		all, err := All()
		if err != nil || !slices.ContainsFunc(all, func(s Stat) bool { return s.PID == pid && s.Parent == os.Getpid() }) {
			t.Errorf("%q is not among all: %v", name, err)
		}
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		if _, err := Read(pid); !Gone(err) {
			t.Errorf("%q is gone, and Read says %v", name, err)
		}
	}
}

func TestParse(t *testing.T) {
	const rest = "S 1 2 3 34816 4 0 0 0 0 0 0 0 0 0 20 0 1 0 777 0"
	s, err := parse(9, []byte("9 (a) "+rest))
	if want := (Stat{PID: 9, Parent: 1, Group: 2, Session: 3, Terminal: 34816, Foreground: 4, State: 'S', Started: 777}); err != nil || s != want {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err := parse(9, []byte("9 (a) S 1 2 3 -2147483648 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 7")); err != nil || s.Terminal != 1<<31 || s.Foreground != -1 {
		t.Errorf("a device number above the signed ones: %+v, %v", s, err)
	}
	for _, bad := range []string{"", "9 (a", "9 (a)", "9 (a) S 1 2", "9 (a) S x 2 3 0 4 0 0 0 0 0 0 0 0 0 20 0 1 0 777", "9 (a) SS" + rest[1:], "9 (a) S 1 2 3 0 4 0 0 0 0 0 0 0 0 0 20 0 1 0 -7"} {
		if s, err := parse(9, []byte(bad)); err == nil {
			t.Errorf("%q: %+v", bad, s)
		}
	}
}
