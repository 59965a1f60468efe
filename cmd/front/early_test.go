//go:build linux && amd64

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mayi/pkg/sandbox"
)

// TestProcessOneIsForkedAhead: before Go has any memory, and where nobody needs
// it, it is gone with the command.
func TestProcessOneIsForkedAhead(t *testing.T) {
	if slices.ContainsFunc(sandbox.Probes(), func(p sandbox.Probe) bool { return !p.OK }) {
		t.Skip("this machine lacks a level of confinement")
	}
	mayi := filepath.Join(joined(t), "mayi")
	home := t.TempDir()
	if err := os.MkdirAll(home+"/.config/mayi", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(home+"/.config/mayi/settings.json", []byte(`{"permissions": {"allow": ["command(cat)"]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	command := func(args ...string) *exec.Cmd {
		cmd := exec.Command(mayi, args...)
		cmd.Dir = t.TempDir()
		cmd.Env = []string{"HOME=" + home, "PATH=/usr/bin:/bin"}
		return cmd
	}
	if out, err := command("run", "true").CombinedOutput(); err != nil { // the engine's: there is no log yet
		t.Fatalf("%v: %s", err, out)
	}
	cmd := command("run", "cat", "pipe") // it waits for somebody who writes
	if err := unix.Mkfifo(cmd.Dir+"/pipe", 0o600); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	var first []int
	for range 1000 {
		if first = children(t, cmd.Process.Pid); len(first) > 0 && len(children(t, first[0])) > 0 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if len(first) != 1 {
		t.Fatalf("the processes of the command: %v", first)
	}
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", first[0]))
	if err != nil {
		t.Skip("nobody but root looks into process 1: ", err)
	}
	if strings.Contains(string(maps), "---p") {
		t.Errorf("process 1 has room for Go's heap, so it was forked later:\n%s", maps)
	}
	exact(t, children(t, first[0])[0])
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	gone(t, first[0])
	free := command("run", "--sandbox", "off", "cat", "pipe")
	if err := unix.Mkfifo(free.Dir+"/pipe", 0o600); err != nil {
		t.Fatal(err)
	}
	if err := free.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = free.Process.Kill(); _ = free.Wait() }()
	var cat int
	for range 1000 {
		for _, pid := range children(t, free.Process.Pid) {
			if name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid)); string(name) == "cat\n" {
				cat = pid
			}
		}
		if cat != 0 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if cat == 0 {
		t.Fatal("cat did not run without a sandbox")
	}
	exact(t, cat)
	_ = unix.Kill(cat, unix.SIGKILL)
	for _, args := range [][]string{{"run", "--sandbox", "off", "true"}, {"run", "--unknown"}, {"run", "--no-ask", "--", "rm", "-rf", "/x"}} {
		cmd := command(args...)
		_, _ = cmd.CombinedOutput()
		for _, pid := range others(t, mayi) {
			gone(t, pid)
		}
	}
}

// exact says whether a program's timers are as exact as those of this one.
func exact(t *testing.T, pid int) {
	t.Helper()
	slack := func(who string) string {
		text, err := os.ReadFile("/proc/" + who + "/timerslack_ns")
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if got, want := slack(strconv.Itoa(pid)), slack("self"); got != want {
		t.Errorf("the command's timers are exact to %s ns, this program's to %s", got, want)
	}
}

// gone waits for the end of a process.
func gone(t *testing.T, pid int) {
	t.Helper()
	for range 400 {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return // or nobody has waited for it yet
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("process %d is still there", pid)
}

// others are the processes that run a program.
func others(t *testing.T, program string) (out []int) {
	t.Helper()
	links, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, l := range links {
		if to, err := os.Readlink(l); err == nil && to == program {
			if n, err := strconv.Atoi(strings.Split(l, "/")[2]); err == nil {
				out = append(out, n)
			}
		}
	}
	return out
}

// children are the processes that one has started and not yet waited for.
func children(t *testing.T, pid int) (out []int) {
	t.Helper()
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, f := range files {
		text, _ := os.ReadFile(f)
		for _, w := range strings.Fields(string(text)) {
			if n, err := strconv.Atoi(w); err == nil {
				out = append(out, n)
			}
		}
	}
	return out
}
