//go:build linux && amd64

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
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
	asStarted(t, children(t, first[0])[0])
	wide(t, cmd.Process.Pid)
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
	asStarted(t, cat)
	_ = unix.Kill(cat, unix.SIGKILL)
	for _, args := range [][]string{{"run", "--sandbox", "off", "true"}, {"run", "--unknown"}, {"run", "--no-ask", "--", "rm", "-rf", "/x"}} {
		cmd := command(args...)
		_, _ = cmd.CombinedOutput()
		for _, pid := range others(t, mayi) {
			gone(t, pid)
		}
	}
}

// wide waits until all the threads of a front that runs something longer have the
// processors that it was started with.
func wide(t *testing.T, pid int) {
	t.Helper()
	want := status(t, "self", "Cpus_allowed_list")
	narrow := ""
	for range 400 {
		tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
		if err != nil {
			t.Fatal(err)
		}
		narrow = ""
		for _, task := range tasks {
			if got := status(t, fmt.Sprintf("%d/task/%s", pid, task.Name()), "Cpus_allowed_list"); got != want {
				narrow = got
			}
		}
		if narrow == "" {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("a thread has %s, and this program %s", narrow, want)
}

// TestTheEngineIsAsStarted: what the front hands over has nothing of what it
// changed for itself.
func TestTheEngineIsAsStarted(t *testing.T) {
	mayi, hand := prepared(t, "run", "--wait", "1s", "cat", "pipe") // the front knows no --wait
	cmd := mayi()
	begin(t, cmd, hand)
	found := 0
	for _, pid := range tree(t, cmd.Process.Pid) {
		name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
		switch strings.TrimSpace(string(name)) {
		case "cat":
			asStarted(t, pid)
			found++
		case "exe":
			if pid == cmd.Process.Pid {
				// Which signals a thread of it holds back is up to Go.
				if got, want := status(t, strconv.Itoa(pid), "Cpus_allowed_list"), status(t, "self", "Cpus_allowed_list"); got != want {
					t.Errorf("the engine has %s, this program %s", got, want)
				}
				found++
			}
		}
	}
	if found != 2 {
		t.Errorf("of the engine and its command %d were found", found)
	}
}

// TestSignalsReachTheCommand: it ends by them, and mayi says so.
func TestSignalsReachTheCommand(t *testing.T) {
	// Who starts the test in the background may have had it ignore some; what is
	// caught here is not ignored by what is started.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGHUP)
	defer signal.Stop(caught)
	mayi, hand := prepared(t, "run", "cat", "pipe")
	for _, s := range []unix.Signal{unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGHUP} {
		cmd := mayi()
		begin(t, cmd, hand)
		if name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", cmd.Process.Pid)); string(name) != "mayi\n" {
			t.Errorf("this is not the front, but %q", name)
		}
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if got, want := cmd.ProcessState.ExitCode(), 128+int(s); got != want {
			t.Errorf("%v: exit code %d, want %d", s, got, want)
		}
	}
}

// TestSignalsSpoilNoOpen: a signal that finds the supervisor as it hands over a
// descriptor must not leave the program with another one.
func TestSignalsSpoilNoOpen(t *testing.T) {
	const files = 1500
	signal.Ignore(unix.SIGINT)
	defer signal.Reset(unix.SIGINT)
	mayi, _ := prepared(t, append([]string{"run", "cat"}, slices.Repeat([]string{"file"}, files)...)...)
	cmd := mayi()
	if err := os.WriteFile(cmd.Dir+"/file", []byte("whole\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	over := make(chan error, 1)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { over <- cmd.Wait() }()
	sent := 0
	for {
		select {
		case err := <-over:
			if want := strings.Repeat("whole\n", files); err != nil || out.String() != want {
				t.Errorf("%v; %d of %d bytes came out, and %d signals were sent", err, out.Len(), len(want), sent)
			}
			return
		default:
			_ = cmd.Process.Signal(unix.SIGINT)
			sent++
			time.Sleep(20 * time.Microsecond)
		}
	}
}

// TestASignalAtAnyMoment: before Go runs, while it is decided, while the job
// starts: it ends the command and mayi, and nothing is left.
func TestASignalAtAnyMoment(t *testing.T) {
	mayi, _ := prepared(t, "run", "cat", "pipe")
	for i := range 60 {
		cmd := mayi()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(i) * 100 * time.Microsecond)
		if err := cmd.Process.Signal(unix.SIGTERM); err != nil {
			t.Fatal(err)
		}
		over := make(chan error, 1)
		go func() { over <- cmd.Wait() }()
		select {
		case <-over:
		case <-time.After(20 * time.Second):
			_ = cmd.Process.Kill()
			t.Fatalf("%d00 µs after the start a signal did not end it", i)
		}
		ws, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
		if got := cmd.ProcessState.ExitCode(); got != 128+int(unix.SIGTERM) && ws.Signal() != unix.SIGTERM {
			t.Errorf("%d00 µs after the start: %v", i, cmd.ProcessState)
		}
	}
	for _, pid := range others(t, mayi().Path) {
		gone(t, pid)
	}
}

// prepared is mayi with these arguments, in a place with a log, so that the front
// can do what it can. The pipe that its cat may read from gives what is handed in.
func prepared(t *testing.T, args ...string) (mayi func() *exec.Cmd, hand *os.File) {
	t.Helper()
	if slices.ContainsFunc(sandbox.Probes(), func(p sandbox.Probe) bool { return !p.OK }) {
		t.Skip("this machine lacks a level of confinement")
	}
	program, home, dir := filepath.Join(joined(t), "mayi"), t.TempDir(), t.TempDir()
	if err := os.MkdirAll(home+"/.config/mayi", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(home+"/.config/mayi/settings.json", []byte(`{"permissions": {"allow": ["command(cat)"]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(dir+"/pipe", 0o600); err != nil {
		t.Fatal(err)
	}
	hand, err := os.OpenFile(dir+"/pipe", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = hand.Close() })
	command := func(args ...string) *exec.Cmd {
		cmd := exec.Command(program, args...)
		cmd.Dir = dir
		cmd.Env = []string{"HOME=" + home, "PATH=/usr/bin:/bin"}
		return cmd
	}
	if out, err := command("run", "true").CombinedOutput(); err != nil { // the engine's: there is no log yet
		t.Fatalf("%v: %s", err, out)
	}
	return func() *exec.Cmd { return command(args...) }, hand
}

// begin starts it, and waits until what is handed to the cat comes out: then mayi
// has done all that it does before it waits.
func begin(t *testing.T, cmd *exec.Cmd, hand *os.File) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	if _, err := hand.WriteString("begun\n"); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len("begun\n"))
	if _, err := io.ReadFull(out, got); err != nil || string(got) != "begun\n" {
		t.Fatalf("%q, %v", got, err)
	}
}

// tree is a process with all that it has started.
func tree(t *testing.T, pid int) []int {
	t.Helper()
	out := []int{pid}
	for i := 0; i < len(out); i++ {
		out = append(out, children(t, out[i])...)
	}
	return out
}

// asStarted says whether a program has what the front changes for itself as this
// one has it: how exact timers are, the signals that are held back, and the
// processors.
func asStarted(t *testing.T, pid int) {
	t.Helper()
	of := func(who string) string {
		slack, err := os.ReadFile("/proc/" + who + "/timerslack_ns")
		if err != nil {
			t.Fatal(err)
		}
		return "timers " + string(slack) + status(t, who, "SigBlk") + status(t, who, "Cpus_allowed_list")
	}
	got, want := "", of("self")
	for range 200 { // Go holds signals back in this one while it starts a thread
		if got, want = of(strconv.Itoa(pid)), of("self"); got == want {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("process %d has\n%s, this program\n%s", pid, got, want)
}

// status is one line of what the kernel says of a process or thread.
func status(t *testing.T, who, name string) string {
	t.Helper()
	text, err := os.ReadFile("/proc/" + who + "/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, name+":") {
			return line
		}
	}
	t.Fatalf("no %s of %s", name, who)
	return ""
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
