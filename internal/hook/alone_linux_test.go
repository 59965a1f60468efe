package hook

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// playing is the part that a copy of this test binary plays.
const playing = "MAYI_TEST_PART"

func TestMain(m *testing.M) {
	switch os.Getenv(playing) {
	case "agent": // an agent that runs its hook through a shell, for at most some seconds
		self, err := os.Executable()
		if err != nil {
			os.Exit(1)
		}
		cmd := exec.Command("sh", "-c", "exec timeout 20 '"+filepath.Join(filepath.Dir(self), "hook")+"'; true")
		cmd.Env = append(os.Environ(), playing+"=hook")
		cmd.SysProcAttr = &unix.SysProcAttr{Setsid: true} // as some do: the hook has no terminal
		out, err := cmd.Output()
		if err != nil {
			os.Exit(1)
		}
		fmt.Print("hook says ", string(out))
		os.Exit(0)
	case "hook":
		fmt.Println(Alone())
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// terminal returns both ends of a new terminal that gives lines, or with keys
// each key.
func terminal(t *testing.T, keys bool) (ours, theirs *os.File) {
	t.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there are no terminals here: %v", err)
	}
	t.Cleanup(func() { ours.Close() })
	if err := unix.IoctlSetPointerInt(int(ours.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(ours.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { theirs.Close() })
	mode, err := unix.IoctlGetTermios(int(theirs.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	if keys {
		mode.Lflag &^= unix.ICANON | unix.ECHO
	}
	if err := unix.IoctlSetTermios(int(theirs.Fd()), unix.TCSETS, mode); err != nil {
		t.Fatal(err)
	}
	return ours, theirs
}

// TestAlone: with a screen somebody is there, without one nobody is, and where
// another program may speak for somebody nothing is sure.
func TestAlone(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	data, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"agent", "hook"} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	_, screen := terminal(t, true)
	_, lines := terminal(t, false)
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	pipe, other, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	defer other.Close()
	for _, c := range []struct {
		what  string
		stdin *os.File
		args  []string
		want  string
	}{
		{"a screen", screen, nil, "false"},
		{"a screen, and a task to begin with", screen, []string{"-i", "do it"}, "false"},
		{"a task, from a terminal", lines, []string{"-p", "do it"}, "true"},
		{"a task, with nothing to read", null, []string{"-p", "do it"}, "true"},
		{"a task, through a pipe", pipe, nil, "true"},
		{"an editor", pipe, []string{"--acp"}, "false"},
		{"an editor, as a subcommand", pipe, []string{"acp"}, "false"},
		{"a program", pipe, []string{"--input-format", "stream-json"}, "false"},
		{"a program, joined", null, []string{"--input-format=stream-json"}, "false"},
		{"a server", null, []string{"--server", "--stdio"}, "false"},
		{"words that say such a thing", null, []string{"-p", "start the server, then serve acp"}, "true"},
	} {
		cmd := exec.Command(filepath.Join(dir, "agent"), c.args...)
		cmd.Env = append(os.Environ(), playing+"=agent")
		cmd.Stdin = c.stdin
		out, err := cmd.CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != "hook says "+c.want {
			t.Errorf("%s: %q (%v), want %s", c.what, got, err, c.want)
		}
	}
}
